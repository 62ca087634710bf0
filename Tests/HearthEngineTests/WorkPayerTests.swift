import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of charging steps to connections. The tests count steps and measure no time.
@Suite struct WorkPayerTests {
  private static let listenCount = 1_000
  private static let rules = """
    {"rules": {"gate": {".write": true}, "at": {"$item": {".read": "root.child('gate').val() != $item || auth != null"}}}}
    """

  /// An engine with many listens that depend on one location and on the identity of their connections.
  private static func engine(connections: Int = 1) throws -> Engine {
    var engine = Engine(state: DatabaseState(root: .empty, rules: try RuleSet.compile(rules), position: 0))
    var commands = (1...connections).map { Command(connection: ConnectionID(rawValue: UInt64($0)), action: .connect) }
    for number in 0..<listenCount {
      let connection = ConnectionID(rawValue: UInt64(number % connections + 1))
      commands.append(
        Command(connection: connection, request: 1, action: .listen(ListenRequest(Path("at/\(number)")))))
    }
    for command in commands { _ = decide(command, &engine) }
    return engine
  }

  private static func decide(_ command: Command, _ engine: inout Engine) -> [ConnectionWork] {
    engine.decide([command], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)).work
  }

  /// Returns the steps of a command, and of all evaluations of listens that it causes.
  private static func work(of command: Command, _ engine: inout Engine) -> [ConnectionWork] {
    var work = decide(command, &engine)
    while engine.hasPendingRedecisions {
      work += decide(Command(connection: ConnectionID(rawValue: 0), action: .tick), &engine)
    }
    return work
  }

  @Test(arguments: [1, 50])
  func `listens that a write makes uncertain are charged to the writer, or to a connection that has many`(
    connections: Int
  ) throws {
    var engine = try Self.engine(connections: connections)
    let network = NetworkPrefix(addressBytes: [192, 0, 2, 1])
    let write = WriteOperation(.put(Location(path: Path("gate")), WriteValue(Node(.string("none")))))
    let ann = Principal(auth: .object([JSON.Member("uid", .string("ann"))]))
    let work = Self.work(
      of: Command(
        connection: ConnectionID(rawValue: 0), request: 1, principal: ann, network: network, action: .write(write)),
      &engine)
    let client = ShareClaimant(account: "ann", network: network)
    let isOwn = connections == 1
    #expect(work.allSatisfy { isOwn ? $0.payer == WorkPayer(ConnectionID(rawValue: 1)) : $0.payer.client == client })
    let steps = work.reduce(0) { $0 + $1.steps }
    #expect(steps >= Self.listenCount * EngineLimits.redecisionSteps)
    #expect(work.allSatisfy { $0.steps <= EngineLimits().redecisionStepsPerSlice * 2 }, "each slice by itself")
  }

  @Test func `the delivery of a large value to many listeners is charged to its writer`() throws {
    let rules = try RuleSet.compile(#"{"rules": {".read": true, ".write": true}}"#)
    var engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    for number in UInt64(1)...100 {
      _ = Self.decide(Command(connection: ConnectionID(rawValue: number), action: .connect), &engine)
      let listen = Command.Action.listen(ListenRequest(Path("hot")))
      _ = Self.decide(Command(connection: ConnectionID(rawValue: number), request: 1, action: listen), &engine)
    }
    func put(_ path: String, bytes: Int) -> Int {
      let value = WriteValue(Node(.string(String(repeating: "x", count: bytes))))
      let write = WriteOperation(.put(Location(path: Path(path)), value))
      let work = Self.decide(
        Command(connection: ConnectionID(rawValue: 1), request: 2, action: .write(write)), &engine)
      #expect(work.allSatisfy { $0.payer == WorkPayer(ConnectionID(rawValue: 1)) })
      return work.reduce(0) { $0 + $1.steps }
    }
    #expect(put("hot/a", bytes: 10_000) >= 100 * (10_000 / EngineLimits.deliveredBytesPerStep))
    #expect(put("hot/b", bytes: 10) == 0, "small events are not noted")
    #expect(put("cold", bytes: 10_000) == 0, "no client is told")
  }

  @Test func `the values of a record are charged to its writer, also those of an on-disconnect write`() throws {
    let rules = try RuleSet.compile(#"{"rules": {".write": true}}"#)
    var engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    _ = Self.decide(Command(connection: ConnectionID(rawValue: 1), action: .connect), &engine)
    let children = (0..<1_000).reduce(Node.empty) { $0.replacing(Path("c\($1)"), with: Node(.int(1))) }
    let change = WriteOperation.Change.put(Location(path: Path("open")), WriteValue(children))
    for action in [Command.Action.write(WriteOperation(change)), .onDisconnect(change)] {
      let work = Self.decide(Command(connection: ConnectionID(rawValue: 1), request: 1, action: action), &engine)
      #expect(work.reduce(0) { $0 + $1.steps } >= 1_000 * EngineLimits.recordedLeafSteps)
    }
  }

  @Test func `a connection's change of identity is charged to the connection`() throws {
    var engine = try Self.engine()
    let ann = Principal(auth: .object([JSON.Member("uid", .string("ann"))]))
    let work = Self.work(
      of: Command(connection: ConnectionID(rawValue: 1), request: 1, action: .authenticate(ann)), &engine)
    #expect(work.allSatisfy { $0.payer == WorkPayer(ConnectionID(rawValue: 1)) })
    #expect(work.reduce(0) { $0 + $1.steps } >= Self.listenCount * EngineLimits.redecisionSteps)
  }

  // MARK: In the background

  private static let instant = Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)

  private static func largeEngine(_ rules: String) throws -> Engine {
    let large = (0..<3_000).reduce(Node.empty) { $0.replacing(Path("large/k\($1)"), with: Node(.int(1))) }
    var limits = EngineLimits()
    limits.largeWriteBytes = 1_000
    var engine = Engine(
      state: DatabaseState(root: large, rules: try RuleSet.compile(rules), position: 0), limits: limits)
    _ = decide(Command(connection: ConnectionID(rawValue: 1), action: .connect), &engine)
    return engine
  }

  @Test func `each comparison of a large value is charged to the requesting client, with any result`() throws {
    var engine = try Self.largeEngine(#"{"rules": {".read": true, ".write": true}}"#)
    let payer = WorkPayer(ConnectionID(rawValue: 1))
    let compound = CompoundHash(hashes: ["a", ""], posts: [Path("k5")])
    let held = engine.state.root[Path("large")]
    let actions: [Command.Action] = [
      .listen(ListenRequest(Path("large"), hash: "wrong")),
      .listen(ListenRequest(Path("large"), hash: "wrong", compound: compound)),
      .write(WriteOperation(.put(Location(path: Path("large")), WriteValue(.empty)), expectedHash: "wrong")),
    ]
    for action in actions {
      var engine = engine
      let command = Command(connection: ConnectionID(rawValue: 1), request: 1, action: action)
      let aside = engine.decide([command], at: Self.instant, settingAside: true)
      let comparison = try #require(aside.comparison)
      #expect(aside.work.map(\.payer) == [payer], "counting the nodes that are too many")
      let settled = engine.settle(comparison.compared(), at: Self.instant, isLast: false)
      #expect(settled.backgroundWork.map(\.payer) == [payer])
      #expect(settled.backgroundWork[0].steps >= 3_000 * 64 / EngineLimits.hashedBytesPerStep)
    }
    // A repeated comparison is charged again.
    let write = WriteOperation(.put(Location(path: Path("large")), WriteValue(.empty)), expectedHash: held.simpleHash())
    let command = Command(connection: ConnectionID(rawValue: 1), request: 1, action: .write(write))
    let comparison = try #require(engine.decide([command], at: Self.instant, settingAside: true).comparison)
    let other = WriteOperation(.put(Location(path: Path("large/k1")), WriteValue(.empty)))
    _ = Self.decide(Command(connection: ConnectionID(rawValue: 1), action: .write(other)), &engine)
    let again = engine.settle(comparison.compared(), at: Self.instant, isLast: false)
    #expect(again.backgroundWork.count == 1)
    let last = engine.settle(try #require(again.comparison).compared(), at: Self.instant, isLast: false)
    #expect(last.backgroundWork.map(\.payer) == [payer])
  }

  @Test func `a large write is charged to its writer, also when it is refused or must be decided again`() throws {
    let rules =
      #"{"rules": {".write": true, "gate": {}, "large": {"$k": {".validate": "newData.val() == 1 && root.child('gate').val() != 'x'"}}}}"#
    let (good, bad) = (
      (0..<3_000).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Node(.int(1))) },
      (0..<3_000).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Node(.int($1 == 2_999 ? 2 : 1))) }
    )
    let ann = Principal(auth: .object([JSON.Member("uid", .string("ann"))]))
    let network = NetworkPrefix(addressBytes: [192, 0, 2, 1])
    for value in [good, bad] {
      var engine = try Self.largeEngine(rules)
      let write = WriteOperation(.put(Location(path: Path("large")), WriteValue(value)))
      let command = Command(
        connection: ConnectionID(rawValue: 9), request: 1, principal: ann, network: network, action: .write(write))
      let aside = try #require(engine.decide([command], at: Self.instant, settingAside: true).setAside)
      let gate = WriteOperation(.put(Location(path: Path("gate")), WriteValue(Node(.int(1)))))
      _ = Self.decide(Command(connection: ConnectionID(rawValue: 1), action: .write(gate)), &engine)
      let again = engine.settle(aside.decided(), at: Self.instant)
      let last = engine.settle(try #require(again.setAside).decided(), at: Self.instant)
      #expect(last.setAside == nil)
      for batch in [again, last] {
        #expect(batch.backgroundWork.map(\.payer.client) == [ShareClaimant(account: "ann", network: network)])
        #expect(batch.backgroundWork[0].steps >= 3_000, "a step for each child at least")
      }
    }
  }

  @Test func `a listen above a connection's own listens is charged for visiting each of them`() throws {
    var engine = Engine(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(#"{"rules": {".read": true}}"#), position: 0))
    let connection = ConnectionID(rawValue: 1)
    func perform(_ action: Command.Action) -> Batch {
      engine.decide([Command(connection: connection, request: 1, action: action)], at: Self.instant)
    }
    _ = perform(.connect)
    for number in 0..<2_000 { _ = perform(.listen(ListenRequest(Path("z/k\(number)")))) }
    let above = perform(.listen(ListenRequest(Path("z"))))
    let end = perform(.unlisten(Path("z"), tag: nil))
    for batch in [above, end] {
      #expect(batch.work.first { $0.payer == WorkPayer(connection) }.map { $0.steps >= 4_000 } == true)
    }
    #expect(perform(.listen(ListenRequest(Path("y")))).work.isEmpty)
  }

  @Test func `an onDisconnect write larger than a connection's limit is refused before its rules are evaluated`() throws
  {
    let rules = #"{"rules": {".write": true, "$a": {"$b": {".validate": "newData.val().matches(/^x*$/)"}}}}"#
    var limits = EngineLimits()
    (limits.onDisconnectBytesPerConnectionMax, limits.onDisconnectStepsMax) = (64 << 10, 2_000)
    var engine = Engine(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(rules), position: 0), limits: limits)
    let connection = ConnectionID(rawValue: 1)
    func perform(_ action: Command.Action) -> Batch {
      engine.decide([Command(connection: connection, request: 1, action: action)], at: Self.instant)
    }
    func refusal(of count: Int) -> Failure? {
      let value = (0..<count).reduce(Node.empty) { $0.replacing(Path("k\($1)"), with: Node(.string("xxxxxxxx"))) }
      let batch = perform(.onDisconnect(.put(Location(path: Path("a")), WriteValue(value))))
      guard case .reply(_, _, .failure(let failure))? = batch.effects.last else { return nil }
      return failure
    }
    _ = perform(.connect)
    #expect(refusal(of: 100) == nil)
    #expect(refusal(of: 10_000) == .tooManyOnDisconnects)
    // A small write whose rules take long is refused as well: at the connection's end its rules would delay other
    // commands.
    #expect(refusal(of: 1_500) == .tooManyOnDisconnects)
  }
}
