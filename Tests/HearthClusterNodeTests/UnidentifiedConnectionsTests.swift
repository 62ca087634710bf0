import HearthTree
import Testing

@testable import HearthClusterNode

@Suite struct UnidentifiedConnectionsTests {
  private static func network(_ block: UInt8, _ last: UInt8 = 1) -> NetworkPrefix {
    NetworkPrefix(addressBytes: [10, 0, block, last])
  }

  private static func table() -> UnidentifiedConnections<Int> {
    var limits = LinkLimits()
    (limits.unidentifiedMax, limits.unidentifiedPerNetworkMax, limits.unidentifiedPerPeerMax) = (6, 4, 2)
    return UnidentifiedConnections(limits: limits)
  }

  @Test func `a network has a limit of connections, and its oldest is replaced`() {
    var table = Self.table()
    for number in 0..<4 { #expect(table.insert(number, from: Self.network(1, UInt8(number))) == nil) }
    #expect(table.insert(4, from: Self.network(1, 9)) == 0)
    #expect(table.insert(5, from: Self.network(1, 9)) == 1)
    #expect(table.insert(6, from: Self.network(2)) == nil)
    table.remove(2)
    #expect(table.insert(7, from: Self.network(1)) == nil && table.count == 5)
  }

  @Test func `when all slots are taken the oldest of the largest network is replaced`() {
    var table = Self.table()
    #expect(table.insert(0, from: Self.network(2)) == nil)
    for number in 1...4 { #expect(table.insert(number, from: Self.network(1)) == nil) }
    #expect(table.insert(5, from: Self.network(3)) == nil)
    #expect(table.insert(6, from: Self.network(4)) == 1)
    #expect(table.count == 6)
  }

  @Test func `a node's address has slots that connections of other addresses cannot take`() {
    var table = Self.table()
    table.setPeers([Self.network(7)])
    for number in 0..<100 { _ = table.insert(number, from: Self.network(UInt8(number % 5))) }
    #expect(table.count == 6)
    #expect(table.insert(200, from: Self.network(7)) == nil && table.insert(201, from: Self.network(7)) == nil)
    for number in 300..<400 {
      let gone = table.insert(number, from: Self.network(8))
      #expect(gone != 200 && gone != 201)
    }
    // Neither was closed, and the oldest connection from its address is replaced.
    #expect(table.insert(202, from: Self.network(7)) == 200)
    // The connections of an address that no longer belongs to a node count among the others.
    table.setPeers([])
    #expect(table.insert(203, from: Self.network(7)) != nil)
  }
}
