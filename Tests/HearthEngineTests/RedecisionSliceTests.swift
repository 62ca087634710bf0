import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of evaluating many listens again: how many one command evaluates before other commands, and the events
/// meanwhile. The tests count rule evaluations and measure no time.
@Suite struct RedecisionSliceTests {
  /// An engine with the counts and effects of its commands.
  private struct Fixture {
    var engine: Engine
    /// The number of rule evaluations in each command.
    var decisions: [Int] = []
    var effects: [Effect] = []

    init(_ rules: String, limits: EngineLimits = EngineLimits(), data: Node = .empty) throws {
      engine = Engine(state: DatabaseState(root: data, rules: try RuleSet.compile(rules), position: 0), limits: limits)
      engine.recordDecisions(.counts)
    }

    @discardableResult
    mutating func perform(_ connection: UInt64, _ action: Command.Action, as principal: Principal? = nil) -> [Effect] {
      let command = Command(
        connection: ConnectionID(rawValue: connection), request: 1, principal: principal, action: action)
      let batch = engine.decide([command], at: Instant(wallMilliseconds: 1, monotonicMilliseconds: 1))
      let decided = batch.decided ?? RecordedDecisions()
      decisions.append(decided.allowedCount + decided.deniedCount + decided.cancelledCount)
      effects += batch.effects
      return batch.effects
    }

    mutating func listen(_ connection: UInt64, _ paths: some Sequence<String>) {
      perform(connection, .connect)
      for path in paths { perform(connection, .listen(ListenRequest(Path(path)))) }
      (decisions, effects) = ([], [])
    }

    @discardableResult
    mutating func put(_ path: String, _ node: Node) -> [Effect] {
      perform(0, .write(WriteOperation(.put(Location(path: Path(path)), WriteValue(node)))), as: .administrator)
    }

    /// Ticks until no listens are waiting for their evaluation.
    ///
    /// - Returns: The number of commands.
    @discardableResult
    mutating func drain() -> Int {
      var count = 0
      while engine.hasPendingRedecisions {
        perform(0, .tick)
        count += 1
      }
      return count
    }
  }

  private static func user(_ uid: String, deadline: Int64? = nil) -> Principal {
    Principal(auth: .object([JSON.Member("uid", .string(uid))]), deadlineMonotonicMilliseconds: deadline)
  }

  private static let open = #"{"rules": {".read": true}}"#
  private static let signedIn = #"{"rules": {"$x": {".read": "auth != null"}}}"#
  private static let flag =
    #"{"rules": {"r": {"$x": {".read": "root.child('flag').val() != 'shut'"}}, "free": {".read": true}}}"#
  /// The most rule evaluations in one command.
  private static var decisionsMax: Int {
    let limits = EngineLimits()
    return (limits.inlineRedecisionStepsMax + limits.redecisionStepsPerSlice) / EngineLimits.redecisionSteps + 2
  }

  // MARK: Identity

  @Test func `signing in again as the same user evaluates no listen again, for any deadline`() throws {
    var fixture = try Fixture(Self.signedIn)
    fixture.perform(1, .connect)
    fixture.perform(1, .authenticate(Self.user("a", deadline: 1_000)))
    for number in 0..<20 { fixture.perform(1, .listen(ListenRequest(Path("x\(number)")))) }
    (fixture.decisions, fixture.effects) = ([], [])
    fixture.perform(1, .authenticate(Self.user("a", deadline: 2_000)))
    #expect(fixture.decisions == [0])
    #expect(fixture.effects.count == 1)
    // The later deadline applies.
    let at = { Instant(wallMilliseconds: $0, monotonicMilliseconds: $0) }
    #expect(fixture.engine.decide([], at: at(1_500)).effects.isEmpty)
    let ended = fixture.engine.decide([], at: at(2_000))
    #expect(ended.decided?.cancelledCount == 20)
  }

  @Test func `signing out evaluates no listens for a client that is signed out`() throws {
    var fixture = try Fixture(Self.open)
    fixture.listen(1, (0..<20).map { "x\($0)" })
    for _ in 0..<5 { fixture.perform(1, .unauthenticate) }
    #expect(fixture.decisions == [0, 0, 0, 0, 0])
    #expect(fixture.effects.count == 5)
  }

  @Test func `many changes of identity over ten thousand listens are answered at once and evaluated once, in slices`()
    throws
  {
    var fixture = try Fixture(Self.open)
    let count = EngineLimits().listensPerConnectionMax
    fixture.listen(1, (0..<count).map { "x\($0)" })
    for number in 0..<160 {
      let isIn = number.isMultiple(of: 2)
      let effects = fixture.perform(1, isIn ? .authenticate(Self.user("a")) : .unauthenticate)
      guard case .reply(_, _, .ok)? = effects.first else {
        Issue.record("no answer")
        continue
      }
    }
    #expect(fixture.decisions.allSatisfy { $0 <= Self.decisionsMax })
    fixture.drain()
    #expect(fixture.decisions.allSatisfy { $0 <= Self.decisionsMax })
    // Listens that were evaluated before the last change of identity are evaluated once more.
    #expect(fixture.decisions.reduce(0, +) <= 2 * count + 160 * Self.decisionsMax / 8)
    #expect(fixture.engine.listenCount == count)
  }

  @Test func `listens of a client that signs out are cancelled without a last event`() throws {
    var fixture = try Fixture(Self.signedIn)
    fixture.perform(1, .connect)
    fixture.perform(1, .authenticate(Self.user("a")))
    for number in 0..<1_000 { fixture.perform(1, .listen(ListenRequest(Path("x\(number)")))) }
    (fixture.decisions, fixture.effects) = ([], [])
    fixture.perform(1, .unauthenticate)
    for number in [0, 500, 999] { fixture.put("x\(number)", Node(.int(1))) }
    fixture.drain()
    var cancelled: Set<Path> = []
    var parts: [Redecision] = []
    for effect in fixture.effects {
      if case .event = effect { Issue.record("an event reaches a client that is signed out") }
      if case .redecided(let redecision) = effect {
        parts.append(redecision)
        cancelled.formUnion(redecision.cancelled.map(\.name.path))
      }
    }
    #expect(cancelled.count == 1_000)
    #expect(fixture.engine.listenCount == 0)
    #expect(parts.count > 2)
    #expect(parts.first?.isFirst == true && parts.last?.isLast == true)
    #expect(parts.dropFirst().allSatisfy { !$0.isFirst } && parts.dropLast().allSatisfy { !$0.isLast })
    #expect(parts.reduce(0) { $0 + $1.examinedCount } == 1_000)
    #expect(Set(parts.map(\.serial)).count == 1)
  }

  @Test func `a revocation that takes many slices is answered once, also when the connection ends before`() throws {
    for ends in [false, true] {
      var fixture = try Fixture(Self.open)
      fixture.perform(1, .connect)
      fixture.perform(1, .authenticate(Self.user("a")))
      for number in 0..<1_000 { fixture.perform(1, .listen(ListenRequest(Path("x\(number)")))) }
      fixture.effects = []
      fixture.perform(1, .endCredential(revocation: 7))
      if ends { fixture.perform(1, .disconnect) }
      fixture.drain()
      let answers = fixture.effects.compactMap { effect -> Redecision? in
        if case .redecided(let redecision) = effect { redecision } else { nil }
      }
      #expect(answers.count { $0.revocation == 7 && $0.isLast } == 1)
      #expect(ends || answers.reduce(0) { $0 + $1.examinedCount } == 1_000)
    }
  }

  // MARK: Data and rules

  @Test func `a write that affects many grants delays no client, and unaffected listeners get their events at once`()
    throws
  {
    var fixture = try Fixture(Self.flag)
    for connection in UInt64(1)...20 { fixture.listen(connection, (0..<500).map { "r/x\($0)" }) }
    fixture.listen(30, ["free"])
    for number in 0..<5 {
      fixture.put("flag", Node(.int(Int64(number))))
      let effects = fixture.put("free/n", Node(.int(Int64(number))))
      let isTold = effects.contains { if case .event(_, [ConnectionID(rawValue: 30)]) = $0 { true } else { false } }
      #expect(isTold)
    }
    let slices = fixture.drain()
    #expect(slices > 50)
    #expect(fixture.decisions.allSatisfy { $0 <= Self.decisionsMax })
    // Five writes cost less than five times the work of one.
    #expect(fixture.decisions.reduce(0, +) < 3 * 10_000)
    #expect(fixture.engine.listenCount == 10_001)
  }

  @Test func `a listener that waits for its evaluation gets its missed events once it is allowed`() throws {
    var fixture = try Fixture(Self.flag)
    for connection in UInt64(1)...3 { fixture.listen(connection, (0..<300).map { "r/x\($0)" }) }
    fixture.put("flag", Node(.int(1)))
    fixture.put("r/x7/a", Node(.int(1)))
    fixture.put("r/x7/b", Node(.int(2)))
    let before = Self.told(fixture.effects, Path("r/x7"))
    fixture.drain()
    let after = Self.told(fixture.effects, Path("r/x7"))
    #expect(before.isEmpty)
    for connection in UInt64(1)...3 { #expect(after[connection] == ["/r/x7/a", "/r/x7/b"]) }
  }

  @Test func `a listener that was denied for a time gets the current value, and no intermediate ones`() throws {
    var fixture = try Fixture(Self.flag)
    fixture.listen(1, (0..<600).map { "r/x\($0)" })
    fixture.put("flag", Node(.string("shut")))
    fixture.put("r/x7/secret", Node(.int(1)))
    fixture.put("r/x7", Node(.int(2)))
    fixture.put("flag", .empty)
    fixture.drain()
    let isSecretTold = fixture.effects.contains { effect in
      if case .event(let event, _) = effect { event.path.description.contains("secret") } else { false }
    }
    #expect(!isSecretTold)
    // Whether the listen was evaluated while the flag was set depends on its position in the order.
    let isCancelled = fixture.effects.contains { effect in
      guard case .redecided(let redecision) = effect else { return false }
      return redecision.cancelled.contains { $0.name.path == Path("r/x7") }
    }
    #expect(isCancelled || Self.told(fixture.effects, Path("r/x7"))[1] == ["/r/x7"])
  }

  @Test func `a deploy over many listens evaluates them in slices, with one receipt`() throws {
    var fixture = try Fixture(Self.open)
    for connection in UInt64(1)...4 { fixture.listen(connection, (0..<500).map { "x\($0)" }) }
    fixture.perform(0, .deployRules(try RuleSet.compile(#"{"rules": {"x1": {".read": true}}}"#)), as: .administrator)
    fixture.put("x2", Node(.int(1)))
    fixture.put("x1", Node(.int(1)))
    fixture.drain()
    #expect(fixture.decisions.allSatisfy { $0 <= Self.decisionsMax })
    #expect(fixture.engine.listenCount == 4)
    #expect(Self.told(fixture.effects, Path("x2")).isEmpty)
    #expect(Self.told(fixture.effects, Path("x1")).count == 4)
    let lasts = fixture.effects.count { if case .redecided(let redecision) = $0 { redecision.isLast } else { false } }
    #expect(lasts == 1)
  }

  @Test func `the listens of a connection that ends are removed in slices`() throws {
    var fixture = try Fixture(Self.open)
    fixture.listen(1, (0..<10_000).map { "x\($0)" })
    fixture.listen(2, ["x5"])
    let before = fixture.engine.listenCount
    fixture.perform(1, .disconnect)
    let limits = EngineLimits()
    let removedMax = limits.redecisionStepsPerSlice / EngineLimits.removalSteps + 1
    #expect(before - fixture.engine.listenCount <= removedMax)
    let effects = fixture.put("x5", Node(.int(1)))
    let isTold = effects.contains { if case .event(_, [ConnectionID(rawValue: 2)]) = $0 { true } else { false } }
    #expect(isTold, "one listener, and none that is gone")
    fixture.drain()
    #expect(fixture.engine.listenCount == 1)
    #expect(fixture.decisions.allSatisfy { $0 <= 1 })
  }

  @Test func `listens are not evaluated again while commits cannot be stored`() throws {
    var fixture = try Fixture(Self.flag)
    fixture.listen(1, (0..<600).map { "r/x\($0)" })
    fixture.put("flag", Node(.int(1)))
    fixture.put("r/x7", Node(.int(1)))
    fixture.engine.setStalled(.noSpace)
    #expect(!fixture.engine.hasPendingRedecisions)
    fixture.decisions = []
    for _ in 0..<50 { fixture.perform(0, .tick) }
    fixture.perform(1, .authenticate(Self.user("a")))
    #expect(fixture.decisions.allSatisfy { $0 == 0 })
    fixture.engine.setStalled(nil)
    fixture.drain()
    #expect(Self.told(fixture.effects, Path("r/x7"))[1] == ["/r/x7"])
  }

  /// Returns the paths of events at or below a path, by connection, in order.
  private static func told(_ effects: [Effect], _ path: Path) -> [UInt64: [String]] {
    var told: [UInt64: [String]] = [:]
    for case .event(let event, let recipients) in effects where path.contains(event.path) {
      for recipient in recipients { told[recipient.rawValue, default: []].append(event.path.description) }
    }
    return told
  }
}
