import COpenSSL
import Foundation

/// A certificate and its key on P-256, for tests.
// Unchecked because neither changes after it is made.
final class TestCredentials: @unchecked Sendable {
  let certificate: OpaquePointer
  let key: OpaquePointer

  /// Creates a certificate.
  ///
  /// - Parameters:
  /// - names: The subject alternative names in OpenSSL's words, such as `DNS:a.example,IP:127.0.0.1`; nil for none.
  /// - commonName: The name in the subject.
  /// - isAuthority: True for a certificate that may issue others.
  /// - seconds: The validity, relative to now.
  /// - issuer: The issuer; nil for a self-signed certificate.
  init(
    _ names: String? = nil, commonName: String = "test", isAuthority: Bool = false,
    seconds: Range<Int> = -3_600..<86_400, issuer: TestCredentials? = nil
  ) throws {
    guard let key = hearth_p256_generate(), let certificate = X509_new() else { throw Failure() }
    (self.key, self.certificate) = (key, certificate)
    let (issuing, signing) = (issuer?.certificate ?? certificate, issuer?.key ?? key)
    let text = Array(commonName.utf8)
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), .random(in: 1 ... .max))
    let now = Int(Date().timeIntervalSince1970)
    ASN1_TIME_set(X509_getm_notBefore(certificate), now + seconds.lowerBound)
    ASN1_TIME_set(X509_getm_notAfter(certificate), now + seconds.upperBound)
    X509_NAME_add_entry_by_NID(
      X509_get_subject_name(certificate), NID_commonName, MBSTRING_UTF8, text, Int32(text.count), -1, 0)
    X509_set_pubkey(certificate, key)
    X509_set_issuer_name(certificate, X509_get_subject_name(issuing))
    var extensions = [(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE")]
    if let names { extensions.append((NID_subject_alt_name, names)) }
    for (kind, value) in extensions where hearth_add_extension(certificate, issuing, kind, value) != 1 {
      throw Failure()
    }
    guard X509_sign(certificate, signing, EVP_sha256()) > 0 else { throw Failure() }
  }

  deinit {
    X509_free(certificate)
    EVP_PKEY_free(key)
  }

  var certificatePEM: String { text(hearth_pem_from_certificate(certificate)) }
  var keyPEM: String { text(hearth_pem_from_key(key, 1)) }

  private func text(_ bio: OpaquePointer?) -> String {
    defer { BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &bytes)
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  struct Failure: Error {}
}
