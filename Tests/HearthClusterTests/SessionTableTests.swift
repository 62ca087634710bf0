import HearthBytes
import Testing

@testable import HearthCluster

@Suite struct SessionTableTests {
  private static let edge = Incarnation(node: NodeID("a"), number: 3)
  private static let session = SessionID(rawValue: 1)

  private static func origin(_ request: UInt64, answered: UInt64 = 0) -> Origin {
    Origin(session: session, request: request, answered: answered)
  }

  @Test("the positions of applied requests are known until their responses are delivered")
  func requests() {
    var table = SessionTable()
    table.apply(.open(Self.session, edge: Self.edge, ordinal: 1), at: 1)
    table.apply(.write(Self.origin(2), content: []), at: 2)
    table.apply(.write(Self.origin(4), content: []), at: 3)
    #expect(table[Self.session]?.position(of: 2) == 2)
    #expect(table[Self.session]?.position(of: 3) == nil)
    #expect(table[Self.session]?.lastRequest == 4)
    table.apply(.write(Self.origin(5, answered: 3), content: []), at: 4)
    #expect(table[Self.session]?.position(of: 2) == nil)
    #expect(table[Self.session]?.position(of: 4) == 3)
  }

  @Test("of an ended session only its number is kept")
  func ended() {
    var table = SessionTable()
    table.apply(.open(Self.session, edge: Self.edge, ordinal: 1), at: 1)
    table.apply(.disconnect(Self.session, content: []), at: 2)
    table.apply(.write(Self.origin(2), content: []), at: 3)
    #expect(table[Self.session] == nil && table.edges.isEmpty)
    #expect(table.openedCount(of: Self.edge) == 1)
    table.apply(.ended(Self.edge), at: 4)
    #expect(table.openedCount(of: Self.edge) == 0 && table.isEnded(Self.edge))
    #expect(!table.isEnded(Incarnation(node: Self.edge.node, number: 4)))
  }

  /// Returns a table with every kind of entry.
  private static func full() -> SessionTable {
    var table = SessionTable()
    let other = Incarnation(node: NodeID("b"), number: 9)
    table.apply(.open(session, edge: edge, ordinal: 1), at: 1)
    table.apply(.open(SessionID(rawValue: .max), edge: other, ordinal: 4), at: 2)
    table.apply(.write(origin(2), content: []), at: 3)
    table.apply(.write(origin(3), content: []), at: 4)
    table.apply(.plain([]), at: 5)
    table.apply(.write(origin(5), content: []), at: 6)
    table.apply(.ended(Incarnation(node: NodeID("c"), number: 2)), at: 7)
    table.apply(.ended(Incarnation(node: NodeID("a"), number: 2)), at: 8)
    return table
  }

  @Test("a table is decoded as it was encoded, and equal tables have equal bytes")
  func encoded() throws {
    #expect(try SessionTable(encoded: SessionTable().encoded) == SessionTable())
    let table = Self.full()
    var again = try SessionTable(encoded: table.encoded)
    #expect(again == table && again.edges == table.edges && Self.full().encoded == table.encoded)
    #expect(again[Self.session]?.position(of: 3) == 4)
    again.apply(.disconnect(Self.session, content: []), at: 9)
    #expect(again.sessions(of: Self.edge).isEmpty && again.encoded != table.encoded)
  }

  @Test("truncated, overlong and altered bytes are refused, or read as another canonical table")
  func malformed() {
    let bytes = Self.full().encoded
    for count in bytes.indices {
      #expect(throws: MalformedBytes.self) { try SessionTable(encoded: Array(bytes[..<count])) }
    }
    #expect(throws: MalformedBytes.self) { try SessionTable(encoded: bytes + [0]) }
    for index in bytes.indices {
      for bit in 0..<8 {
        var altered = bytes
        altered[index] ^= 1 << UInt8(bit)
        if let table = try? SessionTable(encoded: altered) { #expect(table.encoded == altered) }
      }
    }
    // A count greater than the number of bytes: no memory is allocated for it.
    #expect(throws: MalformedBytes.self) { try SessionTable(encoded: [1, 0xFF, 0xFF, 0xFF, 0xFF]) }
  }
}
