import COpenSSL

/// An RSA key that verifies: parsed once, used for every token.
///
/// `@unchecked Sendable` because OpenSSL only reads a complete `EVP_PKEY` while verifying and signing and counts its
/// references atomically, and this class does not change it after `init`.
final class RSAKey: @unchecked Sendable {
  /// The minimum size of a modulus in bits: shorter keys can be factored.
  static let modulusBitsMin = 2_048

  let key: OpaquePointer
  /// The length of a signature in bytes.
  let modulusBytes: Int

  /// Takes ownership of the key, and frees it when it is not a plain RSA key of at least 2048 bits.
  init?(taking key: OpaquePointer?) {
    guard let key else { return nil }
    guard hearth_is_rsa(key) == 1, Int(EVP_PKEY_get_bits(key)) >= Self.modulusBitsMin else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
    modulusBytes = Int(EVP_PKEY_get_size(key))
  }

  deinit { EVP_PKEY_free(key) }

  /// Generates a key pair, which takes some 100 ms; nil when OpenSSL's generator fails.
  static func generate() -> RSAKey? { RSAKey(taking: hearth_rsa_generate(modulusBitsMin)) }

  /// Reads "BEGIN PRIVATE KEY" without passphrase; nil for any other text.
  convenience init?(privatePEM: [UInt8]) {
    self.init(taking: hearth_private_key_from_pem(privatePEM, privatePEM.count))
    ERR_clear_error()
  }

  /// Reads "BEGIN PUBLIC KEY"; nil for any other text.
  convenience init?(publicPEM: [UInt8]) {
    self.init(taking: hearth_public_key_from_pem(publicPEM, publicPEM.count))
    ERR_clear_error()
  }

  /// Returns the key pair as PKCS#8 in PEM; nil for a key without its private half.
  func privatePEM() -> [UInt8]? { pem(isPrivate: true) }
  func publicPEM() -> [UInt8]? { pem(isPrivate: false) }

  private func pem(isPrivate: Bool) -> [UInt8]? {
    defer { ERR_clear_error() }
    guard let bio = hearth_pem_from_key(key, isPrivate ? 1 : 0) else { return nil }
    defer { BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &bytes)
    guard count > 0, let bytes else { return nil }
    // Safe because the BIO owns `count` bytes at the address until it is freed, after the copy.
    return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
  }

  enum Outcome: Sendable { case accepted, refused, outOfMemory }

  /// Checks that `signature` is this key's RS256 signature (PKCS#1 v1.5, SHA-256) of `bytes`. About 30 µs.
  func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Outcome {
    guard signature.count == modulusBytes else { return .refused }
    guard let context = EVP_MD_CTX_new() else { return .outOfMemory }
    defer {
      EVP_MD_CTX_free(context)
      // Clears OpenSSL's error queue, which belongs to the thread, so that the next call does not find this failure.
      ERR_clear_error()
    }
    var keyContext: OpaquePointer?  // freed with the digest context
    guard EVP_DigestVerifyInit(context, &keyContext, EVP_sha256(), nil, key) == 1, let keyContext,
      EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PADDING) == 1
    else { return .outOfMemory }
    let status = EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count)
    return status == 1 ? .accepted : .refused
  }
}
