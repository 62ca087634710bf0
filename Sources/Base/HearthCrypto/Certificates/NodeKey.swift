import COpenSSL

/// A key pair on P-256.
final class NodeKey {
  let pointer: OpaquePointer

  init() throws(NodeAuthority.Failure) {
    guard let made = hearth_p256_generate() else { throw .ofOpenSSL("a key could not be created") }
    pointer = made
  }

  init(pem: [UInt8]) throws(NodeAuthority.Failure) {
    guard let read = hearth_private_key_from_pem(pem, pem.count) else {
      throw .ofOpenSSL("the authority's key could not be read as a private key in PEM")
    }
    pointer = read
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The key pair as PKCS#8.
  func pem() throws(NodeAuthority.Failure) -> [UInt8] {
    guard let bio = hearth_pem_from_key(pointer, 1), let bytes = NodeCertificate.bytes(taking: bio) else {
      throw .ofOpenSSL("a key could not be written")
    }
    return bytes
  }
}
