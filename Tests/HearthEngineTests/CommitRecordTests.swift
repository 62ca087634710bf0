import HearthRules
import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

@Suite struct CommitRecordTests {
  /// The example in the description of the format.
  private static let example: [UInt8] = [
    0x18, 0, 0, 0, 0x01, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0, 0, 0x01, 0x02, 0x01, 0x61, 0x01, 0x62, 0x06, 0x01, 0x63,
    0x03, 0x0E, 0x00, 0x05, 0x01, 0x78,
  ]

  /// The second example in the description.
  private static let sessionExample: [UInt8] = [
    0x39, 0, 0, 0, 0x03, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0, 0, 0x01, 0x01, 0x01, 0x37, 0x06,
    0x06, 0x77, 0x72, 0x69, 0x74, 0x65, 0x73, 0x06, 0x01, 0x61, 0x06, 0x06, 0x2E, 0x77, 0x72, 0x69, 0x74, 0x65, 0x06,
    0x05, 0x64, 0x65, 0x70, 0x74, 0x68, 0x03, 0x00, 0x05, 0x6F, 0x72, 0x64, 0x65, 0x72, 0x03, 0x00,
    0, 0, 0, 0, 0, 0, 0, 0,
  ]

  private func node(_ json: String) throws -> Node {
    try Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return try reader.writeValue().node
    }
  }

  @Test func `the example of the description is encoded and decoded`() throws {
    let record = CommitRecord(
      wallMilliseconds: 1_700_000_000_000,
      content: .changes([(Location(path: Path("a/b")), try node(#"{"c": 7, ".priority": "x"}"#))]))
    var bytes: [UInt8] = []
    record.append(to: &bytes)
    #expect(bytes == Self.example)
    let decoded = try CommitRecord.decode(Self.example)
    try #require(decoded.count == 1)
    #expect(decoded[0].wallMilliseconds == 1_700_000_000_000)
    guard case .changes(let changes) = decoded[0].content else {
      Issue.record("not a change")
      return
    }
    #expect(changes.map(\.location) == [Location(path: Path("a/b"))])
    #expect(changes.map(\.node) == [try node(#"{"c": 7, ".priority": "x"}"#)])
  }

  @Test func `marks have the ends of records, and the times of their decisions`() throws {
    let bytes = Self.example + Self.sessionExample
    let marks = try CommitRecord.marks(of: bytes)
    #expect(marks.map(\.end) == [Self.example.count, bytes.count])
    #expect(marks.map(\.wallMilliseconds) == [1_700_000_000_000, 1_700_000_000_000])
    #expect(try CommitRecord.marks(of: []).isEmpty)
    for end in 1..<Self.example.count {
      #expect(throws: RecordError.self) { try CommitRecord.marks(of: Array(bytes[..<end])) }
    }
    #expect(throws: RecordError.self) { try CommitRecord.marks(of: [8, 0, 0, 0] + [UInt8](repeating: 0, count: 30)) }
  }

  @Test func `the example of a session is encoded by an engine and decoded`() throws {
    var engine = Engine(state: DatabaseState(root: .empty, rules: .denyAll, position: 0))
    let seven = ConnectionID(rawValue: 7)
    let onDisconnectWrite = Command.Action.onDisconnect(.put(Location(path: Path("a")), WriteValue(.empty)))
    let instant = Instant(wallMilliseconds: 1_700_000_000_000, monotonicMilliseconds: 0)
    let commands = [.connect, .authenticate(.administrator), onDisconnectWrite].map {
      Command(connection: seven, action: $0)
    }
    let administrator = engine.decide(commands[...], at: instant)
    #expect(administrator.state.sessions.all.first?.principal.isAdministrator == true)
    let rules = try RuleSet.compile(#"{"rules": {".write": true}}"#)
    engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    let batch = engine.decide([commands[0], commands[2]], at: instant)
    #expect(batch.payload == Self.sessionExample)
    var sessions = OnDisconnectSessions()
    guard case .sessions(let changes) = try CommitRecord.decode(Self.sessionExample).first?.content else {
      Issue.record("not a session")
      return
    }
    sessions.apply(changes)
    #expect(sessions.tree == batch.state.sessions.tree)
    let session = try #require(sessions.all.first)
    #expect(session.connection == seven)
    #expect(session.principal.auth == nil && !session.principal.isAdministrator)
    #expect(session.writes.entries.map(\.location) == [Location(path: Path("a"))])
    #expect(session.writes.entries.map(\.value.node) == [.empty])
  }

  @Test(arguments: [
    "null", "false", "true", "0", "-1", "9223372036854775807", "-9223372036854775808", "0.1", "-1.5e300", "\"\"",
    #"{".value": "é", ".priority": 2}"#, #"{".value": false, ".priority": -0.5}"#,
    #"{"a": {"b": {"c": [1, 2, {"x": true}]}}, "é": "\u0000", ".priority": "high"}"#,
  ])
  func `every kind of value comes back`(json: String) throws {
    let node = try node(json)
    var bytes: [UInt8] = []
    CommitRecord(wallMilliseconds: -1, content: .changes([(Location(path: .root), node)])).append(to: &bytes)
    CommitRecord(wallMilliseconds: 0, content: .rules("{ // ü")).append(to: &bytes)
    let priority = Location(path: Path("p"), isPriority: true)
    CommitRecord(wallMilliseconds: 1, content: .changes([(priority, Node(.int(1))), (priority, .empty)]))
      .append(to: &bytes)
    let records = try CommitRecord.decode(bytes)
    try #require(records.count == 3)
    guard case .changes(let first) = records[0].content, case .rules(let source) = records[1].content,
      case .changes(let last) = records[2].content
    else {
      Issue.record("other kinds came back")
      return
    }
    #expect(first.map(\.node) == [node])
    #expect(first.map { $0.node.json() } == [node.json()])
    #expect(source == "{ // ü")
    #expect(last.map(\.location) == [priority, priority])
    #expect(last.map(\.node) == [Node(.int(1)), .empty])
  }

  @Test func `invalid bytes are refused with their offset`() throws {
    let good = Self.example
    #expect(throws: RecordError("", byteOffset: 28)) { try CommitRecord.decode(good + [1, 0, 0]) }
    #expect(throws: RecordError("", byteOffset: 28)) { try CommitRecord.decode(good + good.dropLast()) }
    #expect(throws: RecordError("", byteOffset: 0)) { try CommitRecord.decode([9, 0, 0, 0, 77] + good) }
    #expect(throws: RecordError("", byteOffset: 0)) { try CommitRecord.decode([0x19] + good.dropFirst() + [0]) }
  }

  @Test(arguments: 0..<4)
  func `damaged bytes end in an error or a value, never in a trap`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var good: [UInt8] = []
    let content = CommitRecord.Content.changes([
      (Location(path: Path("a/b")), try node(#"{"a": [1, "text", {"x": 1.5, ".priority": "p"}], ".priority": 3}"#)),
      (Location(path: Path("c"), isPriority: true), Node(.string("p"))),
    ])
    CommitRecord(wallMilliseconds: 5, content: content).append(to: &good)
    var ends: Set = [good.count]
    let session = Location(path: Path("7/writes/a"))
    let sessions = CommitRecord.Content.sessions([(session, try node(#"{"x": {"y": true}}"#))])
    CommitRecord(wallMilliseconds: 6, content: sessions).append(to: &good)
    ends.insert(good.count)
    good += Self.sessionExample
    for length in 0..<good.count where !ends.contains(length) {
      #expect(throws: RecordError.self) { try decodeUnlessEmpty(Array(good[..<length])) }
    }
    for _ in 0..<3_000 {
      var bytes = good
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
      if random.isOne(in: 4) { bytes.removeLast(random.below(bytes.count)) }
      _ = try? CommitRecord.decode(bytes)
    }
  }

  private func decodeUnlessEmpty(_ bytes: [UInt8]) throws(RecordError) {
    if bytes.isEmpty { throw RecordError("nothing", byteOffset: 0) }
    _ = try CommitRecord.decode(bytes)
  }
}
