import Foundation
import Testing

@testable import HearthOutbound

/// Tests of certificate checks, against a real TLS server, the `openssl` program.
@Suite struct OutboundTLSTests {
  /// A server with its own self-signed certificate for `localhost`.
  struct Server {
    let folder: URL
    let process: Process
    let port: Int

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "hearth-tls-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let make = Self.openssl(
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
          "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem",
        ], in: folder)
      make.standardError = Pipe()
      try make.run()
      make.waitUntilExit()
      let spare = try LoopbackServer { _ in }
      spare.stop()
      port = spare.port
      process = Self.openssl(
        ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", "cert.pem", "-key", "key.pem", "-www", "-quiet"],
        in: folder)
      process.standardError = Pipe()
      try process.run()
    }

    /// Connects repeatedly until the server is up, for a minute at most.
    func outcome(
      _ host: String, trustsItsCertificate: Bool
    ) async throws -> Result<OutboundResponse, OutboundError> {
      let client = client(trustsItsCertificate: trustsItsCertificate)
      for _ in 0..<1_200 {
        do throws(OutboundError) {
          return .success(try await client.send(OutboundRequest(url: "https://\(host):\(port)/")))
        } catch {
          guard error.code == .unreachable else { return .failure(error) }
        }
        try await Task.sleep(for: .milliseconds(50))
      }
      return .failure(OutboundError(.unreachable, "the test's own server did not come up"))
    }

    private static func openssl(_ arguments: [String], in folder: URL) -> Process {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["openssl"] + arguments
      process.currentDirectoryURL = folder
      return process
    }

    func stop() {
      // The program inherits the blocked signals, and SIGKILL cannot be blocked.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try? FileManager.default.removeItem(at: folder)
    }

    func client(trustsItsCertificate: Bool) -> OutboundClient {
      let file = trustsItsCertificate ? folder.appending(path: "cert.pem").path : nil
      return OutboundClient(policy: OutboundPolicy(trustedHosts: ["localhost", "127.0.0.1"], authorityFile: file))
    }
  }

  @Test("an untrusted certificate is refused; the same one from the configured file is accepted")
  func authorities() async throws {
    let server = try Server()
    defer { server.stop() }
    #expect(try await server.outcome("localhost", trustsItsCertificate: false) == .failure(Self.untrusted))
    #expect(try await server.outcome("localhost", trustsItsCertificate: true).get().status == 200)
  }

  @Test("the configured file applies to the trusted hosts, and other hosts need the system's authorities")
  func scope() {
    let policy = OutboundPolicy(trustedHosts: ["id.corp.example"], authorityFile: "/etc/corp.pem")
    #expect(policy.authorityFile(for: "id.corp.example") == "/etc/corp.pem")
    #expect(policy.authorityFile(for: "www.googleapis.com") == nil)
  }

  @Test("a certificate for another name is refused")
  func names() async throws {
    let server = try Server()
    defer { server.stop() }
    #expect(try await server.outcome("127.0.0.1", trustsItsCertificate: true) == .failure(Self.untrusted))
  }

  private static let untrusted = OutboundError(.untrusted, "")
}
