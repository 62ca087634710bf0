import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

/// To whom the steps of commands are charged. Steps are counted; nothing is timed.
@Suite struct WorkPayerTests {
  private static let listenCount = 1_000
  private static let rules = """
    {"rules": {"gate": {".write": true}, "at": {"$item": {".read": "root.child('gate').val() != $item || auth != null"}}}}
    """

  /// An engine with a connection, 1, that has many listens which depend on one place and on who it is.
  private static func engine() throws -> Engine {
    var engine = Engine(state: Published(root: .empty, rules: try RuleSet.compile(rules), position: 0))
    var commands = [Command(connection: ConnectionID(rawValue: 1), action: .connect)]
    for number in 0..<listenCount {
      commands.append(
        Command(
          connection: ConnectionID(rawValue: 1), request: 1, action: .listen(ListenRequest(Path("at/\(number)")))))
    }
    for command in commands { _ = decide(command, &engine) }
    return engine
  }

  private static func decide(_ command: Command, _ engine: inout Engine) -> [ConnectionWork] {
    engine.decide([command], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1)).work
  }

  /// The steps of a command, and of all that is decided because of it.
  private static func work(of command: Command, _ engine: inout Engine) -> [ConnectionWork] {
    var work = decide(command, &engine)
    while engine.hasPendingRedecisions {
      work += decide(Command(connection: ConnectionID(rawValue: 0), action: .tick), &engine)
    }
    return work
  }

  @Test func `the listens that a request over HTTP puts in doubt are charged to its client`() throws {
    var engine = try Self.engine()
    let network = NetworkPrefix(addressBytes: [192, 0, 2, 1])
    let write = WriteOperation(.put(Location(path: Path("gate")), WriteValue(Node(.string("none")))))
    let ann = Principal(auth: .object([JSON.Member("uid", .string("ann"))]))
    let work = Self.work(
      of: Command(
        connection: ConnectionID(rawValue: 0), request: 1, principal: ann, network: network, action: .write(write)),
      &engine)
    let client = ShareClaimant(account: "ann", network: network)
    #expect(work.allSatisfy { $0.payer.client == client })
    let steps = work.reduce(0) { $0 + $1.steps }
    #expect(steps >= Self.listenCount * EngineLimits.redecisionSteps)
    #expect(work.allSatisfy { $0.steps <= EngineLimits().redecisionStepsPerSlice * 2 }, "each slice by itself")
  }

  @Test func `telling many listeners of a large value is charged to its writer`() throws {
    let rules = try RuleSet.compile(#"{"rules": {".read": true, ".write": true}}"#)
    var engine = Engine(state: Published(root: .empty, rules: rules, position: 0))
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
    #expect(put("cold", bytes: 10_000) == 0, "nobody is told")
  }

  @Test func `a connection's change of identity is charged to the connection`() throws {
    var engine = try Self.engine()
    let ann = Principal(auth: .object([JSON.Member("uid", .string("ann"))]))
    let work = Self.work(
      of: Command(connection: ConnectionID(rawValue: 1), request: 1, action: .authenticate(ann)), &engine)
    #expect(work.allSatisfy { $0.payer == WorkPayer(ConnectionID(rawValue: 1)) })
    #expect(work.reduce(0) { $0 + $1.steps } >= Self.listenCount * EngineLimits.redecisionSteps)
  }
}
