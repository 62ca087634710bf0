import Testing

@testable import HearthCluster

@Suite struct SessionTableTests {
  private static let edge = Incarnation(node: NodeID("a"), number: 3)
  private static let session = SessionID(rawValue: 1)

  private static func origin(_ request: UInt64, answered: UInt64 = 0) -> Origin {
    Origin(session: session, request: request, answered: answered)
  }

  @Test("where requests were applied is known until their answers are")
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

  @Test("a session that has ended leaves nothing but its number")
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

  @Test("what is to be written at an end is the last that was asked for at each place, in that order")
  func onDisconnect() {
    var table = SessionTable()
    table.apply(.open(Self.session, edge: Self.edge, ordinal: 1), at: 1)
    table.apply(.onDisconnect(Self.origin(2), place: [1], content: [1]), at: 2)
    table.apply(.onDisconnect(Self.origin(3), place: [2], content: [2]), at: 3)
    table.apply(.onDisconnect(Self.origin(4), place: [1], content: [3]), at: 4)
    #expect(table[Self.session]?.onDisconnect.map(\.content) == [[2], [3]])
    table.apply(.onDisconnect(Self.origin(5), place: [2], content: nil), at: 5)
    #expect(table[Self.session]?.onDisconnect.map(\.content) == [[3]])
  }
}
