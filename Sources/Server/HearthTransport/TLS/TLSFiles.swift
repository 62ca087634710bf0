import HearthSystem
import NIOSSL

/// A certificate chain and its private key, as two PEM files.
package struct TLSFiles: Sendable {
  private let certificatePath: String
  private let keyPath: String

  /// Creates a pair of files, which are not read yet.
  ///
  /// - Parameters:
  ///   - certificatePath: the server's certificate first, then its issuers.
  ///   - keyPath: the first one's private key, not encrypted.
  package init(certificatePath: String, keyPath: String) {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
  }

  /// The file that could not be used, and the reason, in words for the operator.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// The contents of the two files.
  package struct Pair: Sendable {
    /// The server's TLS settings: versions 1.2 and 1.3, HTTP/1.1 only.
    package let context: NIOSSLContext
    /// The validity of the server's own certificate.
    package let validity: CertificateValidity
    /// The names that it is for, except wildcards.
    package let names: [String]
  }

  /// Reads both files.
  ///
  /// - Throws: ``Failure`` when one is invalid, or they do not belong together.
  package func read() throws(Failure) -> Pair {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey
    do { chain = try NIOSSLCertificate.fromPEMFile(certificatePath) } catch {
      throw Failure(description: "no PEM certificates could be read from \(certificatePath): \(error)")
    }
    guard let own = chain.first else { throw Failure(description: "\(certificatePath) holds no certificate") }
    do { key = try NIOSSLPrivateKey(file: keyPath, format: .pem) } catch {
      throw Failure(description: "no PEM private key could be read from \(keyPath): \(error)")
    }
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = ["http/1.1"]
    configuration.shutdownTimeout = .milliseconds(Int64(TransportLimits.standard.closeMilliseconds))
    let validity = CertificateValidity(
      notBeforeSeconds: Int64(own.notValidBefore), notAfterSeconds: Int64(own.notValidAfter))
    do {
      let context = try NIOSSLContext(configuration: configuration)
      return Pair(context: context, validity: validity, names: Self.names(of: own))
    } catch {
      throw Failure(description: "\(certificatePath) and \(keyPath) do not match: \(error)")
    }
  }

  private static func names(of certificate: NIOSSLCertificate) -> [String] {
    certificate._subjectAlternativeNames().compactMap { name in
      guard name.nameType == .dnsName else { return nil }
      let text = String(decoding: name.contents, as: UTF8.self)
      return text.contains("*") ? nil : text
    }
  }

  /// The versions of the two files.
  struct Versions: Sendable, Equatable {
    var certificate: FileVersion?
    var key: FileVersion?
  }

  var versions: Versions {
    Versions(certificate: FileVersion(of: certificatePath), key: FileVersion(of: keyPath))
  }

  /// The maximum size in bytes. Chains of a few certificates have some kilobytes.
  private static let sizeBytesMax: Int64 = 1 << 20

  /// Reads both files as ``read()`` does, unless that could block, as for a pipe without a writer.
  ///
  /// - Parameter versions: the current ones.
  func readAgain(_ versions: Versions) throws(Failure) -> Pair {
    for (path, version) in [(certificatePath, versions.certificate), (keyPath, versions.key)] {
      // A missing file makes the read fail.
      guard let version else { continue }
      guard version.isRegular, version.sizeBytes <= Self.sizeBytesMax else {
        throw Failure(description: "\(path) is not a file of at most \(Self.sizeBytesMax) bytes")
      }
    }
    return try read()
  }
}

/// The validity period of a certificate, in seconds since 1970.
package struct CertificateValidity: Sendable, Equatable {
  /// The first second.
  package var notBeforeSeconds: Int64
  /// The last second.
  package var notAfterSeconds: Int64
}
