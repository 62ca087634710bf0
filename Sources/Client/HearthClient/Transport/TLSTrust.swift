import NIOSSL

/// The accepted certificate authorities. The server's certificate must always match the host name.
enum TLSTrust: Sendable {
  /// The certificate authorities that the system trusts.
  case system
  /// The certificate authorities in this PEM text, which has one certificate or more.
  case roots(pem: String)

  /// Returns the context of TLS connections: TLS 1.2 or newer, with verification of the certificate chain and the host
  /// name.
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
