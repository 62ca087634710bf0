import HearthRules
import HearthTree
import Testing

@testable import HearthEngine

/// Tests of the rules that allowed a commit, in the records of the log.
@Suite struct CommitGrantTests {
  private static let rules = #"""
    {"rules": {
      "rooms": {"$room": {".write": "auth.uid == 'ann'", "topic": {".write": "auth != null"}}},
      "open": {".write": true},
      "w": {"a": {".write": true}, "b": {".write": true}, "c": {".write": true}, "d": {".write": true},
        "e": {".write": true}}
    }}
    """#

  private func engine(recordsAuthors: Bool = true, _ limits: EngineLimits = EngineLimits()) throws -> Engine {
    var limits = limits
    limits.recordsAuthors = recordsAuthors
    return Engine(
      state: DatabaseState(root: .empty, rules: try RuleSet.compile(Self.rules), position: 0), limits: limits)
  }

  private let instant = Instant(wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: 0)

  private func command(_ uid: String?, _ change: WriteOperation.Change) -> Command {
    let auth = uid.map { JSON.object([.init("uid", .string($0))]) }
    return Command(
      connection: ConnectionID(rawValue: 1), request: 1, principal: Principal(auth: auth),
      action: .write(WriteOperation(change)))
  }

  private func put(_ path: String) -> WriteOperation.Change {
    .put(Location(path: Path(path)), WriteValue(Node(.int(1))))
  }

  private func merge(_ base: String, _ paths: [String]) -> WriteOperation.Change {
    .merge(Path(base), paths.map { Write(location: Location(path: Path($0)), value: WriteValue(Node(.int(1)))) })
  }

  private func grants(_ engine: inout Engine, _ commands: [Command]) throws -> [[String]?] {
    let batch = engine.decide(commands[...], at: instant)
    return try CommitRecord.decode(batch.payload).map { $0.grant?.ruleNames }
  }

  @Test func `the example of the description is encoded and decoded`() throws {
    let example: [UInt8] = [0x01, 0x0C] + Array("/rooms/$room".utf8)
    let grant = try #require(CommitGrant(places: ["/rooms/$room"]))
    var bytes: [UInt8] = []
    grant.append(to: &bytes)
    #expect(bytes == example)
    try example.withUnsafeBytes { raw in
      var cursor = ByteCursor(raw)
      let found = try CommitGrant(&cursor)
      #expect(found == grant && cursor.isAtEnd)
    }
  }

  @Test func `the record names the granting rule, not those evaluated before it`() throws {
    var engine = try engine()
    let found = try grants(
      &engine,
      [
        command("ann", put("rooms/r/topic")), command("bob", put("rooms/s/topic")), command(nil, put("open/x")),
        command("bob", put("rooms/r/other")),
      ])
    // The last command is refused.
    #expect(found == [["/rooms/$room/.write"], ["/rooms/$room/topic/.write"], ["/open/.write"]])
  }

  @Test func `an update of several locations names each rule once, and states when there were more`() throws {
    var engine = try engine()
    let few = try grants(&engine, [command("ann", merge("", ["open/x", "rooms/r/a", "open/y"]))])
    #expect(few == [["/open/.write", "/rooms/$room/.write"]])
    let batch = engine.decide([command("ann", merge("w", ["a", "b", "c", "d", "e"]))], at: instant)
    let grant = try #require(try CommitRecord.decode(batch.payload).first?.grant)
    #expect(grant.ruleNames == ["a", "b", "c", "d"].map { "/w/\($0)/.write" } && grant.isCut)
  }

  @Test func `no rule is evaluated for administrators, and no grant is recorded unless enabled`() throws {
    var (telling, silent) = (try engine(), try engine(recordsAuthors: false))
    let administrator = Command(
      connection: ConnectionID(rawValue: 1), request: 1, principal: .administrator,
      action: .write(WriteOperation(put("a"))))
    #expect(try grants(&telling, [administrator]) == [nil])
    #expect(try grants(&silent, [command("ann", put("open/x"))]) == [nil])
  }

  @Test func `a write that is decided in the background names its rule as well`() throws {
    var limits = EngineLimits()
    limits.largeWriteBytes = 1
    var engine = try engine(limits)
    let batch = engine.decide([command("ann", put("rooms/r/topic"))], at: instant, settingAside: true)
    let decided = try #require(batch.setAside).decided()
    let settled = engine.settle(decided, at: instant)
    #expect(try CommitRecord.decode(settled.payload).first?.grant?.ruleNames == ["/rooms/$room/.write"])
  }

  @Test func `unknown record forms are refused, and paths are cut between characters`() throws {
    for bytes: [UInt8] in [[0x00], [0x05, 0, 0, 0, 0, 0], [0x80], [0x01, 0x09, 0x41]] {
      bytes.withUnsafeBytes { raw in
        var cursor = ByteCursor(raw)
        #expect(throws: (any Error).self) { try CommitGrant(&cursor) }
      }
    }
    let long = try #require(CommitGrant(places: [String(repeating: "é", count: 200)]))
    #expect(long.places == [String(repeating: "é", count: 128)])
    #expect(CommitGrant(places: []) == nil)
  }
}
