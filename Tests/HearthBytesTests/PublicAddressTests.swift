import HearthBytes
import Testing

@Suite struct PublicAddressTests {
  static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test(
    "private and special addresses are not public",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.9.10",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
      "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
      "::", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
      "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1",
      "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
    ])
  func inside(text: String) throws {
    #expect(try !Self.address(text).isPublic)
  }

  @Test(
    "addresses next to the special ranges are public",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
      "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0",
      "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2001:4860:4860::8888", "2600::1", "3ffe::1",
      "64:ff9b::808:808", "::ffff:8.8.8.8",
    ])
  func outside(text: String) throws {
    #expect(try Self.address(text).isPublic)
  }

  @Test("loopback is 127.0.0.0/8 and ::1")
  func loopback() throws {
    for text in ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"] {
      #expect(try Self.address(text).isLoopback)
    }
    for text in ["128.0.0.1", "10.0.0.1", "::2"] { #expect(try !Self.address(text).isLoopback) }
  }

  @Test("only 4 or 16 bytes are an address")
  func counts() {
    #expect(IPAddress(bytes: []) == nil)
    #expect(IPAddress(bytes: [127, 0, 0]) == nil)
    #expect(IPAddress(bytes: [UInt8](repeating: 0, count: 15)) == nil)
  }

  @Test("a host counts as this machine only by the name localhost or a loopback address, without a lookup")
  func hosts() {
    for host in ["localhost", "127.0.0.1", "127.0.0.2", "::1", "[::1]", "::ffff:127.0.0.1"] {
      #expect(IPAddress.isLoopback(host: host), "\(host)")
    }
    for host in [
      "", "[]", "localhost.", "app.localhost", "127.example.com", "127.1", "10.0.0.1", "0.0.0.0", "::", "[::1",
    ] {
      #expect(!IPAddress.isLoopback(host: host), "\(host)")
    }
  }
}
