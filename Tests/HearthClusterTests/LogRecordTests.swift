import HearthBytes
import HearthJournal
import RandomTestKit
import Testing

@testable import HearthCluster

/// Tests of a log's rows: those of any node can be decoded, and other bytes cannot.
@Suite struct LogRecordTests {
  private static let run = Incarnation(node: NodeID("a"), number: 9)
  private static let origin = Origin(session: SessionID(rawValue: 5), request: 2, answered: 1)

  /// Returns an engine's frame: a commit without a change.
  private static func frame(_ kind: UInt8 = 1, _ content: [UInt8] = [0]) -> [UInt8] {
    [UInt8(9 + content.count), 0, 0, 0, kind, 3, 0, 0, 0, 0, 0, 0, 0] + content
  }

  private static func decode(_ payload: [UInt8], positions: Int64 = 1) throws -> [LogRecord] {
    try LogRecord.decode(JournalBatch(firstPosition: 7, lastPosition: 6 + positions, payload: payload))
  }

  @Test("the example of the format")
  func workedExample() throws {
    let bytes: [UInt8] =
      [0x0C, 0, 0, 0, 6, 1, 1, 0x61, 9, 0, 0, 0, 0, 0, 0, 0]
      + [0x27, 0, 0, 0, 7, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
      + [0x0A, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0]
    let records = [LogRecord.takeover(Self.run), .write(Self.origin, content: Self.frame())]
    #expect(try Self.decode(bytes, positions: 2) == records)
    #expect(LogRecord.encode(records) == bytes)
  }

  private static let records: [LogRecord] = [
    .takeover(run), .handoff(to: NodeID("b")), .open(SessionID(rawValue: 1), edge: run, ordinal: 1),
    .write(origin, content: []), .write(origin, content: frame(3) + frame(65, [1, 2])), .plain(frame(5)),
    .disconnect(SessionID(rawValue: 1), content: frame()), .disconnect(SessionID(rawValue: 1), content: []),
    .ended(run), .noop,
  ]

  @Test("records are decoded as they were encoded, as many as there are positions")
  func roundTrip() throws {
    let bytes = LogRecord.encode(Self.records)
    #expect(try Self.decode(bytes, positions: Int64(Self.records.count)) == Self.records)
    for positions in [Int64(Self.records.count) - 1, Int64(Self.records.count) + 1] {
      #expect(throws: MalformedBytes.self) { try Self.decode(bytes, positions: positions) }
    }
    for record in Self.records { #expect(LogRecord.encode([record]).count <= record.sizeBytes + 4) }
  }

  @Test("entries of a single server are one record per frame, and are written back unchanged")
  func plain() throws {
    let kinds = [1, 2, 3, 4, 5, 1 + 32, 1 + 64, 3 + 32 + 64] as [UInt8]
    let payload = kinds.flatMap { Self.frame($0, [7]) }
    let records = try Self.decode(payload, positions: Int64(kinds.count))
    #expect(records == kinds.map { LogRecord.plain(Self.frame($0, [7])) })
    #expect(LogRecord.encode(records) == payload)
  }

  @Test(
    "unknown record kinds are refused, in rows and results",
    arguments: [0, 6, 9, 128, 2 + 128, 6 + 64] as [UInt8])
  func unknownKinds(kind: UInt8) {
    #expect(throws: MalformedBytes.self) { try Self.decode(Self.frame(kind)) }
    #expect(!LogRecord.isContent(Self.frame(kind)))
    let write = LogRecord.encode([.write(Self.origin, content: Self.frame() + Self.frame(kind))])
    #expect(throws: MalformedBytes.self) { try Self.decode(write) }
    #expect(throws: MalformedBytes.self) { try Self.decode([2, 0, 0, 0, 6, kind]) }
  }

  @Test("a commit with an update number occurs in results, and not by itself")
  func updates() throws {
    let frame = Self.frame(1 + 128, [3])
    #expect(LogRecord.isContent(frame))
    let write = LogRecord.write(Self.origin, content: frame)
    #expect(try Self.decode(LogRecord.encode([write])) == [write])
    #expect(throws: MalformedBytes.self) { try Self.decode(frame) }
  }

  @Test("invalid content of a request is reported as invalid")
  func content() {
    let frame = Self.frame(2, Array("{}".utf8))
    #expect(LogRecord.isContent([]) && LogRecord.isContent(frame) && LogRecord.isContent(frame + frame))
    for count in 1..<frame.count { #expect(!LogRecord.isContent(Array(frame[..<count]))) }
    // A commit must have its time.
    #expect(!LogRecord.isContent([8, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0]))
    // The cluster's own records cannot be nested.
    #expect(!LogRecord.isContent(LogRecord.encode([.write(Self.origin, content: [])])))
  }

  @Test("truncated and overlong rows are refused", arguments: records.indices)
  func lengths(index: Int) {
    let bytes = LogRecord.encode([Self.records[index]])
    for count in bytes.indices { #expect(throws: MalformedBytes.self) { try Self.decode(Array(bytes[..<count])) } }
    #expect(throws: MalformedBytes.self) { try Self.decode(bytes + [0]) }
  }

  @Test("altered rows never trap, and a row that is decoded is encoded unchanged")
  func altered() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<5_000 {
      var records = Self.records
      records.removeAll { _ in random.isOne(in: 2) }
      var bytes = LogRecord.encode(records)
      guard !bytes.isEmpty else { continue }
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      guard let found = try? Self.decode(bytes, positions: Int64(records.count)) else { continue }
      #expect(LogRecord.encode(found) == bytes)
    }
  }
}
