import NIOCore
import NIOSSL

/// A node's certificate and the authority that it trusts. All nodes' certificates are issued by one authority, which is
/// used for nothing else; each has the name of its node as a DNS name.
package struct LinkIdentity: Sendable {
  let server: NIOSSLContext
  let client: NIOSSLContext

  /// The files in a node's folder: its certificate, its private key, and the authority of all nodes' certificates.
  package static let (certificateName, keyName, authorityName) = ("certificate.pem", "key.pem", "authority.pem")

  /// The file that could not be used and the reason, for the operator.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// Reads PEM files.
  ///
  /// - Parameters:
  ///   - certificatePath: The node's certificate first, then the intermediate ones.
  ///   - keyPath: Its private key, not encrypted.
  ///   - authorityPath: The authority of all nodes' certificates.
  /// - Throws: ``Failure``, which names files but not their content.
  package init(certificatePath: String, keyPath: String, authorityPath: String) throws(Failure) {
    let chain = try Self.read(certificatePath, "a certificate") { try NIOSSLCertificate.fromPEMFile(certificatePath) }
    let authority = try Self.read(authorityPath, "a certificate") { try NIOSSLCertificate.fromPEMFile(authorityPath) }
    let key = try Self.read(keyPath, "a private key") { try NIOSSLPrivateKey(file: keyPath, format: .pem) }
    guard !chain.isEmpty, !authority.isEmpty else {
      throw Failure(description: "\(chain.isEmpty ? certificatePath : authorityPath) contains no certificate")
    }
    var settings = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    settings.minimumTLSVersion = .tlsv13
    settings.trustRoots = .certificates(authority)
    // Names are checked after the hello, by the same rule on both sides.
    settings.certificateVerification = .noHostnameVerification
    var clientSettings = TLSConfiguration.makeClientConfiguration()
    clientSettings.certificateChain = chain.map { .certificate($0) }
    clientSettings.privateKey = .privateKey(key)
    clientSettings.minimumTLSVersion = .tlsv13
    clientSettings.trustRoots = .certificates(authority)
    clientSettings.certificateVerification = .noHostnameVerification
    do {
      server = try NIOSSLContext(configuration: settings)
      client = try NIOSSLContext(configuration: clientSettings)
    } catch {
      throw Failure(description: "\(certificatePath) and \(keyPath) do not match")
    }
  }

  /// Reads a node's folder, as `hearth cluster init` creates it.
  ///
  /// - Throws: ``Failure``.
  package init(folder: String) throws(Failure) {
    try self.init(
      certificatePath: folder + "/" + Self.certificateName, keyPath: folder + "/" + Self.keyName,
      authorityPath: folder + "/" + Self.authorityName)
  }

  private static func read<Value>(
    _ path: String, _ what: String, _ body: () throws -> Value
  ) throws(Failure) -> Value {
    do { return try body() } catch { throw Failure(description: "\(path) could not be read as \(what) in PEM") }
  }

  /// Returns the DNS names in the verified certificate of the peer; none without a certificate.
  static func peerNames(_ pipeline: ChannelPipeline) -> [String] {
    guard let found = try? pipeline.syncOperations.nioSSL_peerCertificate() else { return [] }
    return found._subjectAlternativeNames().filter { $0.nameType == .dnsName }.compactMap { name in
      String(validating: Array(name.contents), as: UTF8.self)
    }
  }
}
