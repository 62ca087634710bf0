import COpenSSL
import Glibc

/// A certificate under construction, or one that was read.
final class NodeCertificate {
  let pointer: OpaquePointer

  /// - Parameter other: A certificate before whose expiry this one must expire.
  init(
    named name: String, of key: NodeKey, from start: Int64, until end: Int64, atMost other: NodeCertificate? = nil
  ) throws(NodeAuthority.Failure) {
    guard let made = X509_new() else { throw .ofOpenSSL("a certificate could not be created") }
    pointer = made
    let text = Array(name.utf8)
    // The serial number is 126 random bits, because issued certificates are not counted.
    var serial = [UInt8](repeating: 0, count: 16)
    guard RAND_bytes(&serial, Int32(serial.count)) == 1 else {
      throw .ofOpenSSL("the system's random generator failed")
    }
    serial[0] = serial[0] & 0x7F | 0x40
    let number = BN_bin2bn(serial, Int32(serial.count), nil)
    defer { BN_free(number) }
    guard X509_set_version(made, 2) == 1, number != nil,
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made)) != nil,
      ASN1_TIME_set(X509_getm_notBefore(made), time_t(start)) != nil,
      ASN1_TIME_set(X509_getm_notAfter(made), time_t(end)) != nil,
      X509_NAME_add_entry_by_NID(
        X509_get_subject_name(made), NID_commonName, MBSTRING_UTF8, text, Int32(text.count), -1, 0) == 1,
      X509_set_pubkey(made, key.pointer) == 1
    else { throw .ofOpenSSL("a certificate could not be created") }
    guard let other, let limit = X509_get0_notAfter(other.pointer) else { return }
    if ASN1_TIME_compare(X509_get0_notAfter(made), limit) > 0, X509_set1_notAfter(made, limit) != 1 {
      throw .ofOpenSSL("a certificate could not be created")
    }
  }

  init(pem: [UInt8]) throws(NodeAuthority.Failure) {
    guard let read = hearth_certificate_from_pem(pem, pem.count) else {
      throw .ofOpenSSL("the authority's certificate could not be read as a certificate in PEM")
    }
    pointer = read
  }

  deinit { X509_free(pointer) }

  func add(_ extensions: [(Int32, String)], issuedBy issuer: NodeCertificate) throws(NodeAuthority.Failure) {
    for (kind, value) in extensions where hearth_add_extension(pointer, issuer.pointer, kind, value) != 1 {
      throw .ofOpenSSL("the certificate could not be created")
    }
  }

  func sign(with key: NodeKey, issuedBy issuer: NodeCertificate) throws(NodeAuthority.Failure) {
    guard X509_set_issuer_name(pointer, X509_get_subject_name(issuer.pointer)) == 1,
      X509_sign(pointer, key.pointer, EVP_sha256()) > 0
    else { throw .ofOpenSSL("the certificate could not be signed") }
  }

  func pem() throws(NodeAuthority.Failure) -> [UInt8] {
    guard let bio = hearth_pem_from_certificate(pointer), let bytes = Self.bytes(taking: bio) else {
      throw .ofOpenSSL("the certificate could not be written")
    }
    return bytes
  }

  /// Returns the content of a BIO, and frees it.
  static func bytes(taking bio: OpaquePointer) -> [UInt8]? {
    defer { BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &bytes)
    guard count > 0, let bytes else { return nil }
    // Safe because the BIO owns `count` bytes at the address until it is freed, after the copy.
    return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
  }
}
