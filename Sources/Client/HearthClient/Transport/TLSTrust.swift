import NIOSSL

/// Whose certificates a server may show. That it shows one, for the name that was dialled, is never optional.
enum TLSTrust: Sendable {
  /// Those of the certificate authorities that the system trusts.
  case system
  /// Those signed by one of these, and no others; PEM text with one certificate or more.
  case roots(pem: String)

  /// What TLS connections are made with: 1.2 or newer, the whole chain and the name verified.
  func context() throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.certificateVerification = .fullVerification
    if case .roots(let pem) = self {
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
    }
    return try NIOSSLContext(configuration: configuration)
  }
}
