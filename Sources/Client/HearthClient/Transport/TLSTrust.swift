#if os(Linux)
  import HearthTLS
#else
  import NIOCore
  import NIOSSL
#endif

/// The accepted certificate authorities. The server's certificate must always match the host name.
enum TLSTrust: Sendable {
  /// The certificate authorities that the system trusts.
  case system
  /// The certificate authorities in this PEM text, which has one certificate or more.
  case roots(pem: String)
}

#if os(Linux)
  extension TLSTrust {
    /// Returns the context of TLS connections: TLS 1.2 or newer, with verification of the certificate chain and the
    /// host name.
    func context() throws -> TLSContext {
      switch self {
      case .system: try TLSContext()
      case .roots(let pem): try TLSContext(roots: pem)
      }
    }
  }
#else
  typealias TLSContext = NIOSSLContext

  extension TLSTrust {
    /// Returns the context of TLS connections: TLS 1.2 or newer, with verification of the certificate chain and the
    /// host name.
    func context() throws -> TLSContext {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      configuration.certificateVerification = .fullVerification
      if case .roots(let pem) = self {
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
      }
      return try NIOSSLContext(configuration: configuration)
    }
  }

  extension TLSContext {
    /// Returns the handler of a connection to a host.
    func handler(host: String) throws -> any ChannelHandler {
      // No server name (SNI) is sent for a numeric address.
      let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
      return try NIOSSLClientHandler(context: self, serverHostname: isAddress ? nil : host)
    }
  }
#endif
