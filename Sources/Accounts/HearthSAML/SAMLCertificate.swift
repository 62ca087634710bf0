import CXMLSec
import HearthBytes
import HearthCrypto

/// Normalisation of identity providers' certificates: as users paste them, and as metadata has them.
package enum SAMLCertificate {
  /// Returns the certificate as PEM with normalised lines; nil for an invalid one.
  ///
  /// - Parameter text: PEM, or only its Base64.
  package static func pem(_ text: String) -> String? {
    guard text.utf8.count <= SAMLLimits.certificateBytesMax else { return nil }
    var body = text
    if let start = body.range(of: "-----BEGIN CERTIFICATE-----") {
      guard let end = body[start.upperBound...].range(of: "-----END CERTIFICATE-----") else { return nil }
      guard body[end.upperBound...].range(of: "-----BEGIN") == nil else { return nil }
      body = String(body[start.upperBound..<end.lowerBound])
    }
    let letters = body.utf8.filter { !" \t\r\n".utf8.contains($0) }
    guard let der = Base64.decodeLenient(letters), !der.isEmpty else { return nil }
    let pem = pem(der: der)
    return hearth_xml_certificate_strength(pem, pem.utf8.count) > 0 ? pem : nil
  }

  /// Returns true when its key is strong enough: RSA of 2,048 bits or more, or elliptic.
  package static func isStrong(_ pem: String) -> Bool { hearth_xml_certificate_strength(pem, pem.utf8.count) > 1 }

  private static func pem(der: [UInt8]) -> String {
    var rest = Base64.encode(der)[...]
    var lines = ["-----BEGIN CERTIFICATE-----"]
    while !rest.isEmpty {
      lines.append(String(rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    return (lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n")
  }
}

extension String {
  /// Returns the range of the first occurrence of a text.
  fileprivate func range(of text: String) -> Range<Index>? { self[...].range(of: text) }
}

extension Substring {
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].utf8.starts(with: text.utf8) {
        return start..<self.utf8.index(start, offsetBy: text.utf8.count)
      }
      start = self.utf8.index(after: start)
    }
    return nil
  }
}
