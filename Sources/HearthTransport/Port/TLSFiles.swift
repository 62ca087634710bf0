import NIOSSL

/// A certificate chain and its private key, as two PEM files.
package struct TLSFiles: Sendable {
  private let certificatePath: String
  private let keyPath: String

  /// Reads nothing yet.
  ///
  /// - Parameters:
  ///   - certificatePath: the server's certificate first, then those above it.
  ///   - keyPath: the first one's private key, not encrypted.
  package init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }

  /// What could not be used, and why, in words for the operator.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// The server's TLS settings: versions 1.2 and 1.3, HTTP/1.1 only.
  package func context() throws(Failure) -> NIOSSLContext {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    do { chain = try NIOSSLCertificate.fromPEMFile(certificatePath) } catch {
      throw Failure(description: "no PEM certificates could be read from \(certificatePath): \(error)")
    }
    guard !chain.isEmpty else { throw Failure(description: "\(certificatePath) holds no certificate") }
    do { key = try NIOSSLPrivateKey(file: keyPath, format: .pem) } catch {
      throw Failure(description: "no PEM private key could be read from \(keyPath): \(error)")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    do { return try NIOSSLContext(configuration: configuration) } catch {
      throw Failure(description: "\(certificatePath) and \(keyPath) do not belong together: \(error)")
    }
  }
}
