import NIOSSL

/// The accepted certificate authorities. A certificate for the dialled name is always required.
enum TLSTrust: Sendable {
  /// The certificate authorities that the system trusts.
  case system
  /// Only the certificate authorities in this PEM text, which has one certificate or more.
  case roots(pem: String)

  /// Returns the context of TLS connections: 1.2 or newer, the whole chain and the name verified.
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
