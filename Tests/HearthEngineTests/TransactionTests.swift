import HearthRules
import HearthTestKit
import HearthTree
import Synchronization
import Testing

@testable import HearthEngine

/// Tests of transactions, which compute their change from the newest state.
@Suite struct TransactionTests {
  private static let open = #"{"rules": {".read": true, ".write": true}}"#

  /// Returns a transaction that increments the number at a path.
  private static func increment(_ path: String) -> Command.Action {
    .transact(
      Transaction { draft in
        var number: Int64 = 0
        if case .int(let old)? = draft.root[Path(path)].scalar { number = old }
        draft.replace(Path(path), with: Node(.int(number + 1)))
        return true
      })
  }

  private func engine(limits: EngineLimits = EngineLimits()) throws -> Engine {
    let rules = try RuleSet.compile(Self.open)
    return Engine(state: DatabaseState(root: .empty, rules: rules, position: 0), limits: limits)
  }

  private func command(_ action: Command.Action, as principal: Principal? = .administrator) -> Command {
    Command(connection: ConnectionID(rawValue: 1), request: 1, principal: principal, action: action)
  }

  private static let instant = Instant(wallMilliseconds: 5, monotonicMilliseconds: 5)

  private func decide(_ engine: inout Engine, _ commands: [Command]) -> (lines: [String], batch: Batch) {
    let batch = engine.decide(commands[...], at: Self.instant)
    return (batch.effects.flatMap { $0.scenarioLines() }, batch)
  }

  @Test("each transaction sees the result of the one before it, in the same batch")
  func newestState() throws {
    var engine = try engine()
    let actions = (0..<10).map { _ in command(Self.increment("count")) }
    let (lines, batch) = decide(&engine, actions)
    #expect(lines == Array(repeating: "1 ok", count: 10))
    #expect(batch.state.root[Path("count")] == Node(.int(10)))
    #expect(batch.state.position == 10)
  }

  @Test("a transaction is one record, and a replay has the same result")
  func oneRecord() throws {
    var engine = try engine()
    _ = decide(
      &engine, [command(.write(WriteOperation(.put(Location(path: Path("gone")), WriteValue(Node(.int(1)))))))])
    let (_, batch) = decide(
      &engine,
      [
        command(
          .transact(
            Transaction { draft in
              draft.replace(Path("a/b"), with: Node(.string("x")))
              draft.replace(Path("a/c"), with: Node(.string("y")))
              draft.replace(Path("gone"), with: .empty)
              draft.replace(Path("a/b"), with: Node(.string("z")))
              return draft.now == Self.instant
            }))
      ])
    let records = try CommitRecord.decode(batch.payload)
    #expect(records.count == 1)
    guard case .changes(let changes) = records.first?.content else { throw Failure.invalidPath }
    #expect(changes.map(\.location.path.description) == ["/a/b", "/a/c", "/gone"])
    let old = Node.empty.replacing(Path("gone"), with: Node(.int(1)))
    #expect(CommitRecord.apply(changes, to: old) == batch.state.root)
    #expect(String(decoding: batch.state.root.json(.export), as: UTF8.self) == #"{"a":{"b":"z","c":"y"}}"#)
  }

  @Test("a write to a location and one below it make one change")
  func nestedChanges() throws {
    var engine = try engine()
    let (_, batch) = decide(
      &engine,
      [
        command(
          .transact(
            Transaction { draft in
              draft.replace(Path("a/b/c"), with: Node(.int(1)))
              draft.replace(Path("a"), with: .empty)
              draft.replace(Path("a/d"), with: Node(.int(2)))
              return true
            }))
      ])
    let records = try CommitRecord.decode(batch.payload)
    guard case .changes(let changes) = records.first?.content else { throw Failure.invalidPath }
    #expect(changes.map(\.location.path.description) == ["/a"])
    #expect(CommitRecord.apply(changes, to: .empty) == batch.state.root)
    #expect(String(decoding: batch.state.root.json(.export), as: UTF8.self) == #"{"a":{"d":2}}"#)
  }

  @Test("an aborted or unchanged transaction leaves no record and is answered")
  func nothing() throws {
    var engine = try engine()
    let (lines, batch) = decide(
      &engine,
      [
        command(
          .transact(
            Transaction { draft in
              draft.replace(Path("a"), with: Node(.int(1)))
              return false
            })),
        command(
          .transact(
            Transaction { draft in
              draft.replace(Path("a"), with: Node(.int(1)))
              draft.replace(Path("a"), with: .empty)
              return true
            })),
      ])
    #expect(lines == ["1 ok", "1 ok"])
    #expect(!batch.hasCommits)
    #expect(batch.state.root.isEmpty)
  }

  @Test("only an administrator runs a transaction; for others its body does not run")
  func onlyAdministrator() throws {
    var engine = try engine()
    let runs = Mutex(0)
    let transaction = Command.Action.transact(
      Transaction { draft in
        runs.withLock { $0 += 1 }
        return true
      })
    let alice = Principal(auth: .object([.init("uid", .string("alice"))]))
    let (lines, _) = decide(
      &engine, [command(transaction, as: alice), command(transaction, as: .signedOut), command(transaction, as: nil)])
    #expect(
      lines == [
        "log 1 transact /: no rule", "1 permission-denied", "log 1 transact /: no rule", "1 permission-denied",
        "1 unknown-connection",
      ])
    #expect(runs.withLock { $0 } == 0)
  }

  @Test(
    "a transaction that cannot be stored is refused completely",
    arguments: [
      ("a.b", 1, "invalid-path"), ("", 1, "invalid-path"), ("a", 40, "invalid-data"), ("a", 31, "ok"),
    ])
  func refusals(key: String, depth: Int, answer: String) throws {
    var engine = try engine()
    let (lines, batch) = decide(
      &engine,
      [
        command(
          .transact(
            Transaction { draft in
              var node = Node(.int(1))
              for _ in 0..<depth { node = Node.empty.replacing("x", with: node) }
              draft.replace(Path("fine"), with: Node(.int(1)))
              draft.replace(Path([Key(key)]), with: node)
              return true
            }))
      ])
    #expect(lines == ["1 \(answer)"])
    #expect(batch.hasCommits == (answer == "ok"))
    #expect(batch.state.root.isEmpty == (answer != "ok"))
  }

  @Test("a record over the limit is refused, and the next one is accepted")
  func tooBig() throws {
    var limits = EngineLimits()
    limits.recordBytesMax = 100
    var engine = try engine(limits: limits)
    let big = Command.Action.transact(
      Transaction { draft in
        draft.replace(Path("a"), with: Node(.string(String(repeating: "x", count: 200))))
        return true
      })
    let (lines, batch) = decide(&engine, [command(big), command(Self.increment("n"))])
    #expect(lines == ["1 write-too-big", "1 ok"])
    #expect(String(decoding: batch.state.root.json(.export), as: UTF8.self) == #"{"n":1}"#)
  }

  @Test("listeners are updated, after the transaction's revocations")
  func listeners() throws {
    var scenario = Scenario()
    _ = try scenario.perform(
      #"rules {"rules": {"room": {".read": "root.child('open').val() == true"}, "n": {".read": true}}}"#)
    _ = try scenario.perform(#"data {"open": true, "room": "tea", "n": 1}"#)
    for step in ["7 connect", "7 listen /room", "7 listen /n"] { _ = try scenario.perform(step) }
    var engine = scenario.engine
    let batch = engine.decide(
      [
        command(
          .transact(
            Transaction { draft in
              draft.replace(Path("open"), with: Node(.bool(false)))
              draft.replace(Path("room"), with: Node(.string("secret")))
              draft.replace(Path("n"), with: Node(.int(2)))
              return true
            }))
      ], at: Self.instant)
    #expect(
      batch.effects.flatMap { $0.scenarioLines() } == [
        "7 < cancel /room data@3", "log 7 cancellation /room: .read at /room",
        "redecided data@3 at 3: examined 1, kept 0, cut 7 /room told 2", "7 < put /n 2", "1 ok",
      ])
  }
}
