import HearthBytes
import Testing

@Suite struct IPAddressTests {
  @Test("addresses are read strictly and written in one form")
  func addresses() {
    #expect(IPAddress("192.0.2.1")?.description == "192.0.2.1")
    #expect(IPAddress("2001:DB8:0:0::1")?.description == "2001:db8::1")
    #expect(IPAddress("::ffff:192.0.2.1")?.description == "192.0.2.1", "one client, one address")
    for text in [
      "", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "::1%eth0", " 1.2.3.4", "localhost", "1.2.3.4\u{0}",
    ] {
      #expect(IPAddress(text) == nil, "\(text)")
    }
    #expect(IPAddress(hop: " 192.0.2.1:4711 ")?.description == "192.0.2.1")
    #expect(IPAddress(hop: "[2001:db8::1]:4711")?.description == "2001:db8::1")
    #expect(IPAddress(hop: "unknown") == nil && IPAddress(hop: "") == nil)
  }

  @Test("a block of addresses contains those with the same leading bits, and no others")
  func blocks() throws {
    let block = try #require(IPNetwork("10.1.128.0/17"))
    #expect(block.contains(try #require(IPAddress("10.1.128.0"))))
    #expect(block.contains(try #require(IPAddress("10.1.255.255"))))
    #expect(!block.contains(try #require(IPAddress("10.1.127.255"))))
    #expect(!block.contains(try #require(IPAddress("::a01:8000"))))
    let everything = try #require(IPNetwork("::/0"))
    #expect(everything.contains(try #require(IPAddress("2001:db8::1"))))
    #expect(!everything.contains(try #require(IPAddress("192.0.2.1"))))
    for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "x/8", "10.0.0.0/8/8", "::/129", ""] {
      #expect(IPNetwork(text) == nil, "\(text)")
    }
  }
}
