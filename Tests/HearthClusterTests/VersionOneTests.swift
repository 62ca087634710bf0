import HearthJournal
import Testing

@testable import HearthCluster

/// Tests of the first version's messages and rows byte for byte: a node that encodes them differently, or cannot decode
/// them, cannot join a cluster of that version.
@Suite struct VersionOneTests {
  private static let node = Incarnation(node: NodeID("a"), number: 7)
  private static let session = SessionID(rawValue: 5)
  private static let content: [UInt8] = [10, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0]

  private static let records: [LogRecord] = [
    .plain(content), .takeover(node), .handoff(to: NodeID("b")), .open(session, edge: node, ordinal: 4),
    .write(Origin(session: session, request: 2, answered: 1), content: content), .disconnect(session, content: []),
    .ended(node), .noop,
  ]

  /// The messages of ``LinkMessageTests``, without the members that the first version lacks.
  private static let versionOneMessages: [LinkMessage] = LinkMessageTests.messages.map { message in
    switch message {
    case .hello(let hello): .hello(Hello(versions: 1...1, cluster: hello.cluster, incarnation: hello.incarnation))
    case .database(let database, .answer(let epoch, let session, let request, .refused(_, let reply))):
      .database(database, .answer(epoch: epoch, session, request: request, .refused(position: 0, reply: reply)))
    default: message
    }
  }

  private static let questions: [NodeQuestion] = [.load, .open(journal: "databases/é")]
  private static let answers: [NodeAnswer] = [.load(acceptsDatabases: true, ownedCount: 258), .opened, .declined]

  private static var table: SessionTable {
    var table = SessionTable()
    // Without the disconnect and the node's end, so that the table has a session.
    for (index, record) in records.enumerated() where ![5, 6].contains(index) {
      table.apply(record, at: Int64(index) + 1)
    }
    return table
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func bytes(_ text: String) -> [UInt8] {
    text.utf8.indices.enumerated().compactMap { offset, index in
      offset.isMultiple(of: 2) ? UInt8(text[index...].prefix(2), radix: 16) : nil
    }
  }

  @Test("messages between nodes")
  func messages() throws {
    #expect(Self.versionOneMessages.map { Self.hexadecimal($0.encoded(in: 1)) } == Self.messageTexts)
    var decoder = LinkDecoder()
    decoder.append(Self.messageTexts.flatMap(Self.bytes))
    for message in Self.versionOneMessages { #expect(try decoder.next() == message) }
  }

  @Test("a refusal's position is encoded since version 2, and omitted in version 1")
  func refusals() throws {
    let refusal = { (position: Int64) in
      LinkMessage.database(
        DatabaseID(rawValue: 5),
        .answer(epoch: 3, LinkMessageTests.origin.session, request: 9, .refused(position: position, reply: [4])))
    }
    for (version, read) in [(1, 0), (2, 12), (3, 12)] as [(UInt16, Int64)] {
      #expect(try LinkMessage(encoded: refusal(12).encoded(in: version).dropFirst(4)[...]) == refusal(read))
    }
  }

  @Test("records in rows")
  func rows() throws {
    let payload = LogRecord.encode(Self.records)
    #expect(Self.hexadecimal(payload) == Self.rowText)
    let batch = JournalBatch(
      firstPosition: 1, lastPosition: Int64(Self.records.count), payload: Self.bytes(Self.rowText))
    #expect(try LogRecord.decode(batch) == Self.records)
  }

  @Test("sessions in a snapshot")
  func sessions() throws {
    #expect(Self.hexadecimal(Self.table.encoded) == Self.tableText)
    #expect(try SessionTable(encoded: Self.bytes(Self.tableText)) == Self.table)
  }

  @Test("requests between nodes")
  func questions() throws {
    let texts = Self.questions.map { Self.hexadecimal($0.encoded) } + Self.answers.map { Self.hexadecimal($0.encoded) }
    #expect(texts == Self.questionTexts)
    #expect(try Self.questionTexts.prefix(2).map { try NodeQuestion(encoded: Self.bytes($0)) } == Self.questions)
    #expect(try Self.questionTexts.dropFirst(2).map { try NodeAnswer(encoded: Self.bytes($0)) } == Self.answers)
  }

  private static let messageTexts = [
    "230000000148525448010001002a00000000000000096b6e6f74656e2dc3a40700000000000000",
    "010000000c",
    "0d0000000205000000fbffffffffffffff",
    "2d0000000305000000030000000000000003000000000000000200000000000000901ad669fbca21730000000000000080",
    "3f0000000405000000030000000000000001000000000000000200000000000000901ad669fbca2173160000000c000000060101610700000000000000020000000608",
    "36000000050500000003000000000000000000000000000080090000000000000008000000000000000104000000000000000300000000000000",
    "2d000000050500000003000000000000000000000000000080090000000000000008000000000000000203000000010203",
    "2a000000050500000003000000000000000000000000000080090000000000000008000000000000000300000000",
    "260000000505000000030000000000000000000000000000800900000000000000080000000000000004",
    "2a0000000605000000030000000000000000000000000000800900000000000000010c0000000000000000000000",
    "2b0000000605000000030000000000000000000000000000800900000000000000010c000000000000000100000005",
    "230000000605000000030000000000000000000000000000800900000000000000020100000004",
    "2b00000006050000000300000000000000000000000000008009000000000000000301000000060c00000000000000",
    "1e000000060500000003000000000000000000000000000080090000000000000004",
    "1e000000060500000003000000000000000000000000000080090000000000000005",
    "21000000070500000003000000000000000200000000000000000000800200000000000000",
    "110000000805000000030000000000000000000000",
    "0d00000009050000000300000000000000",
    "0d0000000d010000000000000000000000",
    "0f0000000dffffffffffffffff020000000102",
    "0e0000000e01000000000000000000000000",
    "0f0000000effffffffffffffff000100000003",
    "0a0000000e020000000000000001",
    "0a0000000e020000000000000002",
    "0a0000000e020000000000000003",
    "0a0000000e020000000000000004",
  ]
  private static let rowText =
    "0a000000010300000000000000000c00000006010161070000000000000004000000060201621c0000000603050000000000"
    + "000001610700000000000000040000000000000027000000070500000000000000020000000000000001000000000000000a"
    + "00000001030000000000000000090000000805000000000000000c000000060701610700000000000000020000000608"
  private static let tableText =
    "0101000000050000000000000001610700000000000000040000000000000002000000000000000100000002000000000000"
    + "0005000000000000000000000001000000016107000000000000000400000000000000"
  private static let questionTexts = [
    "0201",
    "02026461746162617365732fc3a9",
    "02010102010000",
    "0202",
    "0203",
  ]
}
