import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of the records of servers that share a log: notes (records without changes), and joint records.
@Suite struct JointRecordTests {
  /// The third example in the description of the format.
  private static let example: [UInt8] = [
    0x2C, 0, 0, 0, 0x07, 9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0x0F, 0, 0, 0, 0x81, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0, 0, 0x00, 0x01, 0x01, 0x01, 0x61, 0x00,
  ]
  private static let note = CommitRecord(wallMilliseconds: 0, content: .note([1, 2, 3]))
  private static let request = CommitRecord.JointCause.request(session: 1 << 63, request: 7, answered: 6)

  private static func bytes(_ records: CommitRecord...) -> [UInt8] {
    records.reduce(into: []) { $1.append(to: &$0) }
  }

  private static func put(_ path: String, _ value: Int64, at milliseconds: Int64 = 5) -> CommitRecord {
    CommitRecord(
      wallMilliseconds: milliseconds, content: .changes([(Location(path: Path(path)), Node(.int(value)))]))
  }

  private static func joint(_ records: [CommitRecord], of cause: CommitRecord.JointCause = request) -> CommitRecord {
    CommitRecord(wallMilliseconds: records.first?.wallMilliseconds ?? 0, content: .joint(records, of: cause))
  }

  @Test func `the example of the description is encoded and decoded`() throws {
    let deletion = CommitRecord(
      wallMilliseconds: 1_700_000_000_000, mergeDepth: 0, content: .changes([(Location(path: Path("a")), .empty)]))
    let cause = CommitRecord.JointCause.request(session: 9, request: 2, answered: 1)
    #expect(Self.bytes(Self.joint([deletion], of: cause)) == Self.example)
    let record = try #require(try CommitRecord.decode(Self.example).first)
    guard case .joint(let records, cause) = record.content, case .changes(let changes) = records[0].content else {
      Issue.record("\(record)")
      return
    }
    #expect(record.wallMilliseconds == 1_700_000_000_000 && records.count == 1)
    #expect(records[0].mergeDepth == 0)
    #expect(changes.map(\.location) == [Location(path: Path("a"))] && changes.map(\.node) == [.empty])
  }

  @Test func `records without changes have no time and no effect`() throws {
    let payload = Self.bytes(
      Self.note, Self.joint([]), Self.put("a", 1, at: 40), Self.note, Self.joint([], of: .end(session: 3)),
      Self.joint([Self.put("a", 2, at: 50), Self.put("b", 2, at: 60)], of: .end(session: 3)), Self.note)
    let records = try CommitRecord.decode(payload)
    #expect(records.map(\.parts.count) == [0, 0, 1, 0, 0, 2, 0])
    #expect(records.map(\.ownMilliseconds) == [nil, nil, 40, nil, nil, 50, nil])
    #expect(records.map(\.wallMilliseconds) == [0, 0, 40, 0, 0, 50, 0])
    let times: [Int64?] = [nil, nil, 40, 40, 40, 50, 50]
    #expect(try CommitRecord.marks(of: payload).map(\.wallMilliseconds) == times)
    #expect(try CommitRecord.marks(of: payload).last?.end == payload.count)
    for (index, time) in times.enumerated() {
      #expect(try RecordScan.time(ofRecord: index, in: payload) == time)
    }
    #expect(try RecordScan.time(ofRecord: times.count, in: payload) == nil)
    #expect(records.reduce(into: []) { $1.append(to: &$0) } == payload)
  }

  @Test(arguments: [Self.request, .end(session: 2)])
  func `records that join records, and pieces, are refused in others with their place`(
    cause: CommitRecord.JointCause
  ) {
    let inner: [CommitRecord] = [
      Self.note, Self.joint([]), Self.joint([Self.put("a", 1)], of: .end(session: 1)),
      CommitRecord(wallMilliseconds: 0, content: .piece(number: 1, bytes: [1])),
      CommitRecord(wallMilliseconds: 0, content: .lastPiece(number: 1, count: 1)),
    ]
    let first = Self.put("b", 1)
    for record in inner {
      let start = Self.bytes(Self.put("x", 1), Self.joint([first], of: cause)).count
      let payload = Self.bytes(Self.put("x", 1), Self.joint([first, record], of: cause))
      #expect(throws: RecordError("", byteOffset: start)) { try CommitRecord.decode(payload) }
      #expect(throws: RecordError("", byteOffset: start)) {
        try RecordScan(of: Path("b")).forEach(in: payload) { _ in }
      }
      let alone = Self.bytes(Self.joint([record], of: cause))
      #expect(throws: RecordError.self) { try CommitRecord.marks(of: alone) }
      #expect(throws: RecordError.self) { try RecordScan.time(ofRecord: 0, in: alone) }
    }
  }

  @Test func `a record that extends beyond the record that contains it is refused`() {
    var payload = Self.bytes(Self.joint([Self.put("a", 1)]), Self.put("b", 1))
    let start = 4 + 1 + 24
    payload[start] += 1
    #expect(throws: RecordError("", byteOffset: start)) { try CommitRecord.decode(payload) }
    // Only records with a time have flags.
    for kind: UInt8 in [6, 7, 8] {
      for flag: UInt8 in [32, 64, 128] {
        var flagged = Self.bytes(Self.joint([]))
        flagged[4] = kind | flag
        #expect(throws: RecordError("", byteOffset: 0)) { try CommitRecord.decode(flagged) }
      }
    }
    for kind: UInt8 in 2...5 {
      var flagged = Self.bytes(Self.put("a", 1))
      flagged[4] = kind | 128
      #expect(throws: RecordError("", byteOffset: 0)) { try CommitRecord.decode(flagged) }
    }
  }

  @Test func `a user is erased from joint records, and other data stays`() throws {
    func by(_ uid: String, _ path: String) -> CommitRecord {
      CommitRecord(
        wallMilliseconds: 5, author: CommitAuthor(uid: uid, connection: ConnectionID(rawValue: 1)),
        grant: CommitGrant(places: ["/"]), mergeDepth: 0,
        content: .changes([(Location(path: Path(path)), Node.empty.replacing(Path("mail"), with: Node(.int(1))))]))
    }
    let session = CommitRecord(
      wallMilliseconds: 5, content: .sessions([(Location(path: Path("1/uid")), Node(.string("eve")))]))
    let payload = Self.bytes(
      Self.note, Self.joint([by("ann", "eve"), by("eve", "b"), session], of: .end(session: 4)), by("ann", "c"))
    let erasure = RecordErasure(uid: "eve", places: [Path("eve")])
    #expect(try erasure.isAuthor(of: payload))
    let left = try #require(try erasure.erased(payload) { _, _, _ in nil })
    #expect(!String(decoding: left, as: UTF8.self).contains("eve"))
    let records = try CommitRecord.decode(left)
    guard case .joint(let parts, .end(session: 4)) = records[1].content else {
      Issue.record("\(records[1])")
      return
    }
    #expect(parts.map(\.author?.uid) == ["ann", nil, nil] && parts.map(\.mergeDepth) == [0, 0, nil])
    #expect(parts.map(\.changedCount) == [0, 1, 0])
    #expect(records[2].author?.uid == "ann")
    #expect(try !erasure.isAuthor(of: left))
    #expect(try erasure.erased(left) { _, _, _ in nil } == nil)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `damaged bytes end in an error or a value, never in a trap`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let good = Self.bytes(
      Self.note, Self.joint([Self.put("a/b", 1), Self.put("c", 2)]),
      Self.joint([Self.put("d", 3)], of: .end(session: 1)),
      Self.put("e", 4))
    for _ in 0..<4_000 {
      var bytes = good
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
      if random.isOne(in: 4) { bytes.removeLast(random.below(bytes.count)) }
      guard let records = try? CommitRecord.decode(bytes) else { continue }
      // A record that can be decoded is encoded to the same bytes.
      var again: [UInt8] = []
      for record in records { record.append(to: &again) }
      #expect(try CommitRecord.decode(again).count == records.count)
      #expect(try CommitRecord.marks(of: bytes).count == records.count)
    }
  }
}

extension CommitRecord {
  fileprivate var changedCount: Int {
    switch content {
    case .changes(let changes), .sessions(let changes): changes.count
    default: 0
    }
  }
}
