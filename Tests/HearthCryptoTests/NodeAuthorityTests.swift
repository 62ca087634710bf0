import Foundation
import Testing

@testable import HearthCrypto

/// Tests of the certificates of a cluster's nodes, with the output of the `openssl` program.
@Suite struct NodeAuthorityTests {
  /// The current time: 2026-11-24T12:00:00Z.
  private static let now: Int64 = 1_795_521_600

  /// Returns the output of `openssl x509` for a certificate.
  private static func openssl(_ arguments: [String], _ certificate: [UInt8]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl", "x509", "-noout"] + arguments
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(certificate))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return text
  }

  @Test("a node's certificate names the node, is for client and server use, and is valid for five years")
  func node() throws {
    let authority = try NodeAuthority(now: Self.now)
    let node = try authority.issue("node-1", now: Self.now)
    let text = try Self.openssl(["-text"], node.certificate)
    for part in [
      "Version: 3", "DNS:node-1\n", "CA:FALSE", "TLS Web Server Authentication, TLS Web Client Authentication",
      "X509v3 Key Usage: critical\n                Digital Signature\n", "ASN1 OID: prime256v1",
      "Signature Algorithm: ecdsa-with-SHA256", "Not Before: Nov 24 11:00:00 2026 GMT",
      "Not After : Nov 23 12:00:00 2031 GMT", "Issuer: CN = Hearth cluster", "Subject: CN = node-1",
    ] { #expect(text.contains(part), "\(part) is not in \(text)") }
    let own = try Self.openssl(["-text"], authority.credentials.certificate)
    for part in [
      "CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign", "Not After : Nov 21 12:00:00 2036 GMT",
    ] { #expect(own.contains(part), "\(part) is not in \(own)") }
    #expect(String(decoding: node.key, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let again = try authority.issue("node-1", now: Self.now)
    #expect(try Self.openssl(["-serial"], node.certificate) != Self.openssl(["-serial"], again.certificate))
    #expect(node.key != again.key)
  }

  @Test("a stored authority is used again, and no certificate outlasts it")
  func kept() throws {
    let first = try NodeAuthority(now: Self.now)
    let kept = try NodeAuthority(first.credentials)
    let late = try kept.issue("b", now: Self.now + 9 * 365 * 86_400)
    #expect(try Self.openssl(["-enddate"], late.certificate) == "notAfter=Nov 21 12:00:00 2036 GMT\n")
    #expect("\(first.credentials) \(first)" == "<Credentials> <NodeAuthority>")
    let node = try first.issue("a", now: Self.now)
    let other = try NodeAuthority(now: Self.now).credentials
    for credentials in [
      node, NodeAuthority.Credentials(certificate: other.certificate, keyInClear: first.credentials.key),
      NodeAuthority.Credentials(certificate: Array("none".utf8), keyInClear: other.key),
      NodeAuthority.Credentials(certificate: other.certificate, keyInClear: []),
    ] { #expect(throws: NodeAuthority.Failure.self) { try NodeAuthority(credentials) } }
  }

  @Test("a name is a label of a DNS name")
  func names() throws {
    for name in ["a", "node-1", "0", String(repeating: "x", count: 63)] { #expect(NodeAuthority.isName(name)) }
    for name in ["", "A", "a.b", "-a", "a-", "a_b", "é", "a,DNS:b", String(repeating: "x", count: 64)] {
      #expect(!NodeAuthority.isName(name))
      #expect(throws: NodeAuthority.Failure.self) { try NodeAuthority(now: Self.now).issue(name, now: Self.now) }
    }
  }
}
