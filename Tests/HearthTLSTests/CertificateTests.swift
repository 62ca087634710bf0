import NIOSSL
import Testing

@testable import HearthTLS

/// Tests of the certificates that a client accepts.
@Suite struct CertificateTests {
  private static let authority = Result { try TestCredentials(commonName: "authority", isAuthority: true) }

  /// Returns the failure of a client that accepts the authority; nil when the handshake succeeds.
  private func failure(
    _ host: String, _ credentials: TestCredentials, chain: [TestCredentials] = [], roots: String? = nil
  ) throws -> TLSError? {
    let pair = try TLSPair(
      host: host, credentials, chain: chain, roots: roots ?? Self.authority.get().certificatePEM)
    pair.sendFromClient([1, 2, 3])
    try pair.exchange()
    // Nothing is sent to a server whose certificate is not accepted.
    #expect(pair.atServer.bytes == (pair.failure == nil ? [1, 2, 3] : []))
    #expect(pair.client.isActive == (pair.failure == nil))
    return pair.failure
  }

  @Test(
    "a certificate for the host is accepted",
    arguments: [
      ("a.example", "DNS:a.example"), ("A.Example", "DNS:a.example"), ("a.example.", "DNS:a.example"),
      ("b.a.example", "DNS:*.a.example"), ("127.0.0.1", "IP:127.0.0.1"), ("::1", "IP:::1"),
      ("a.example", "DNS:b.example,DNS:a.example"),
    ])
  func accepts(host: String, names: String) throws {
    #expect(try failure(host, TestCredentials(names, issuer: Self.authority.get())) == nil)
  }

  @Test(
    "a certificate for another host is rejected",
    arguments: [
      ("a.example", "DNS:b.example"), ("a.example", nil), ("c.b.a.example", "DNS:*.a.example"),
      ("a.example", "DNS:*.example.a"), ("ba.a.example", "DNS:b*.a.example"), ("127.0.0.1", "IP:127.0.0.2"),
      ("127.0.0.1", "DNS:127.0.0.1"), ("a.example", "email:a@a.example"), ("::1", "IP:127.0.0.1"),
    ])
  func rejectsOtherHosts(host: String, names: String?) throws {
    // The name in the subject does not count.
    let credentials = try TestCredentials(names, commonName: host, issuer: Self.authority.get())
    let failure = try failure(host, credentials)
    #expect(failure?.code == .certificateRejected)
    #expect(failure?.description.contains("mismatch") == true, "\(String(describing: failure))")
  }

  @Test("expired, future, self-signed and foreign certificates are rejected with the reason")
  func rejectsInvalid() throws {
    let authority = try Self.authority.get()
    let imitation = try TestCredentials(commonName: "authority", isAuthority: true)
    let stranger = try TestCredentials(commonName: "stranger", isAuthority: true)
    let name = "DNS:a.example"
    let leaf = try TestCredentials(name, issuer: authority)
    let cases: [(TestCredentials, [TestCredentials], String)] = [
      (try TestCredentials(name, seconds: -7_200..<(-60), issuer: authority), [], "expired"),
      (try TestCredentials(name, seconds: 3_600..<7_200, issuer: authority), [], "not yet valid"),
      (try TestCredentials(name), [], "self-signed"),
      (try TestCredentials(name, issuer: stranger), [stranger], "self-signed"),
      (try TestCredentials(name, issuer: stranger), [], "unable to get local issuer"),
      (try TestCredentials(name, issuer: imitation), [], "signature failure"),
      // A certificate that may not issue others.
      (try TestCredentials(name, commonName: "leaf of a leaf", issuer: leaf), [leaf], "invalid CA"),
    ]
    for (credentials, chain, reason) in cases {
      let failure = try failure("a.example", credentials, chain: chain)
      #expect(failure?.code == .certificateRejected)
      #expect(failure?.description.contains(reason) == true, "\(reason): \(String(describing: failure))")
    }
  }

  @Test("a certificate of an intermediate authority is accepted if the server sends the chain")
  func intermediates() throws {
    let between = try TestCredentials(commonName: "between", isAuthority: true, issuer: Self.authority.get())
    let leaf = try TestCredentials("DNS:a.example", issuer: between)
    #expect(try failure("a.example", leaf, chain: [between]) == nil)
    #expect(try failure("a.example", leaf)?.code == .certificateRejected)
  }

  @Test("a pinned self-signed certificate is accepted, and so is any of several authorities")
  func pins() throws {
    let own = try TestCredentials("DNS:a.example", isAuthority: true)
    #expect(try failure("a.example", own, roots: own.certificatePEM) == nil)
    let several = try "text before\n" + own.certificatePEM + "\n" + Self.authority.get().certificatePEM
    #expect(
      try failure("a.example", TestCredentials("DNS:a.example", issuer: Self.authority.get()), roots: several) == nil)
  }

  @Test("the system's authorities do not accept a private one")
  func system() throws {
    let pair = try TLSPair(
      host: "a.example", TestCredentials("DNS:a.example", issuer: Self.authority.get()), roots: nil)
    try pair.exchange()
    #expect(pair.failure?.code == .certificateRejected)
  }

  @Test("texts without certificates and hosts that no certificate can have are refused at the start")
  func invalidSettings() throws {
    let pem = try Self.authority.get().certificatePEM
    for text in ["", "no certificate", String(pem.dropLast(60)), pem + pem.replacing("M", with: "!")] {
      let error = #expect(throws: TLSError.self) { try TLSContext(roots: text) }
      #expect(error?.code == .invalidSettings)
    }
    let context = try TLSContext(roots: pem)
    for host in ["", ".", "a.example\0.b.example", String(repeating: "a", count: 300)] {
      #expect(throws: TLSError.self) { try TLSClientHandler(context, host: host) }
    }
  }
}
