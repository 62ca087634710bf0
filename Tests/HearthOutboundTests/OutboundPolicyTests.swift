import HearthBytes
import Testing

@testable import HearthOutbound

@Suite struct OutboundPolicyTests {
  private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  @Test("a trusted host may have any address, plain HTTP is allowed only on this machine")
  func policy() throws {
    let (inside, loop, outside) = try (Self.address("10.0.0.1"), Self.address("127.0.0.1"), Self.address("1.1.1.1"))
    let careful = OutboundPolicy.publicHTTPS
    #expect(careful.admits(outside, host: "a.example", isPlain: false))
    #expect(!careful.admits(inside, host: "a.example", isPlain: false))
    #expect(!careful.admits(loop, host: "a.example", isPlain: true))
    let plain = OutboundPolicy(allowsPlainHTTP: true)
    #expect(plain.admits(loop, host: "a.example", isPlain: true))
    #expect(!plain.admits(loop, host: "a.example", isPlain: false))
    #expect(!plain.admits(outside, host: "a.example", isPlain: true))
    let trusting = OutboundPolicy(trustedHosts: ["idp.internal"])
    #expect(trusting.admits(inside, host: "idp.internal", isPlain: false))
    #expect(!trusting.admits(inside, host: "other.internal", isPlain: false))
  }
}
