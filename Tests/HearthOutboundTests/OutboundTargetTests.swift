import Testing

@testable import HearthOutbound

@Suite struct OutboundTargetTests {
  @Test("a URL is parsed as libcurl parses it")
  func reads() throws {
    #expect(try OutboundTarget("https://Example.COM/a?b=c").host == "example.com")
    #expect(try !OutboundTarget("https://example.com:8443/").isPlain)
    #expect(try OutboundTarget("http://127.0.0.1:9/").isPlain)
    #expect(try OutboundTarget("https://[::1]:9/").host == "::1")
    // Other spellings of 127.0.0.1 are parsed as that address, not as a name.
    #expect(try OutboundTarget("https://2130706433/").host == "127.0.0.1")
    #expect(try OutboundTarget("https://0x7f.1/").host == "127.0.0.1")
  }

  @Test(
    "unusual URLs are refused",
    arguments: [
      "", "example.com", "https://", "https://user@example.com/", "https://user:pw@example.com/",
      "https://good.example@127.0.0.1/", "https://example.com/#part", "https://exa mple.com/",
      "https://example.com/\r\nHost: x", "https://example.com/\u{0}", "https://b\u{fc}cher.example/",
      "file:///etc/passwd", "gopher://127.0.0.1:25/", "ftp://example.com/", "smtp://example.com/",
      "dict://example.com/",
    ])
  func refuses(url: String) {
    #expect(throws: OutboundError.self) { try OutboundTarget(url) }
  }

  @Test("a receiver may be on this machine by its URL, and at other private addresses with the operator's permission")
  func receivers() throws {
    func policy(_ url: String, _ allowsPrivate: Bool = false) throws -> OutboundPolicy {
      try OutboundPolicy.forReceiver(at: url, allowsPrivate: allowsPrivate)
    }
    #expect(try policy("http://127.0.0.1:8081/x").trustedHosts == ["127.0.0.1"])
    #expect(try policy("https://[::1]:9/").trustedHosts == ["::1"])
    #expect(try policy("https://Fn.example.org?x") == .publicHTTPS)
    #expect(
      try policy("http://fn.internal/", true) == OutboundPolicy(trustedHosts: ["fn.internal"], allowsPlainHTTP: true))
    #expect(throws: OutboundError(.forbiddenAddress, "")) { try policy("http://fn.example.org/") }
    #expect(throws: OutboundError(.invalidRequest, "")) { try policy("https://a:b@fn.example.org/", true) }
  }
}
