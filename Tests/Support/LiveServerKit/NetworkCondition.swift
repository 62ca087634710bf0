import HearthServer
import RandomTestKit
import ServerTestKit

/// The condition of the network between a client and a test server.
package enum NetworkCondition: Sendable {
  /// A plain socket.
  case plain
  /// A socket with TLS.
  case tls
  /// A proxy that ends no connection, but delays and splits the data.
  case delaying(seed: UInt64)
  /// A proxy that refuses the first connections, cuts them off midway, delays them or stops their traffic.
  case faulty(seed: UInt64)

  /// Conditions that end no connections.
  package static let reliable: [NetworkCondition] = [.plain, .tls, .delaying(seed: 1)]
  /// All conditions, of the faulty ones one with TLS and one without; under ``Torture`` with many new seeds each time.
  package static let all: [NetworkCondition] =
    reliable
    + (Torture.isOn
      ? (0..<20).map { _ in .faulty(seed: .random(in: 0 ... .max)) } : [.faulty(seed: 1), .faulty(seed: 2)])

  /// True when the server uses TLS: behind a proxy with every other seed.
  package var isSecure: Bool {
    switch self {
    case .plain: false
    case .tls: true
    case .delaying(let seed), .faulty(let seed): seed % 2 == 0
    }
  }

  /// True when the network ends connections, so that the client has to reconnect.
  package var isFaulty: Bool { if case .faulty = self { true } else { false } }
}

/// The addresses under which a client reaches a test server.
package struct TestAddress: Sendable {
  /// The condition of the network.
  package let network: NetworkCondition
  /// The port for clients.
  package let port: Int
  /// The server's own port.
  package let serverPort: Int

  /// The address for clients, `https://127.0.0.1:1234`.
  package var address: String { address(host: "127.0.0.1") }
  /// The server's own address, which bypasses the proxy.
  package var directAddress: String { "\(scheme)://127.0.0.1:\(serverPort)" }

  /// Returns the address for clients under another name of this machine.
  package func address(host: String) -> String { "\(scheme)://\(host):\(port)" }

  private var scheme: String { network.isSecure ? "https" : "http" }
}

extension TestServer {
  /// Runs `body` with a server under a network condition, and stops both in any case.
  package static func with(
    over network: NetworkCondition, rules: String, configure: (inout HearthServer.Options) -> Void = { _ in },
    _ body: (TestServer, TestAddress) async throws -> Void
  ) async throws {
    let certificate = try TestCertificate.files.get()
    try await with(rules: rules) { options in
      configure(&options)
      if network.isSecure { options.tls = .init(certificatePath: certificate.certificate, keyPath: certificate.key) }
    } _: { test in
      let proxy: FaultProxy? =
        switch network {
        case .plain, .tls: nil
        case .delaying(let seed): try await .start(to: test.port, seed: seed, faults: .max, onlyDelays: true)
        case .faulty(let seed): try await .start(to: test.port, seed: seed, faults: 5, bytesMax: 3_000)
        }
      let route = TestAddress(network: network, port: proxy?.port ?? test.port, serverPort: test.port)
      do { try await body(test, route) } catch {
        await proxy?.stop()
        throw error
      }
      await proxy?.stop()
    }
  }
}
