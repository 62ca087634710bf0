import COpenSSL

/// A private key on P-256 that signs.
///
/// `@unchecked Sendable` because OpenSSL only reads a complete `EVP_PKEY` while signing and counts its references
/// atomically, and this class does not change it after `init`.
final class P256Signer: @unchecked Sendable {
  private let key: OpaquePointer

  /// Reads "BEGIN PRIVATE KEY" without passphrase; nil for any other text, and for a key of another kind.
  init?(privatePEM: [UInt8]) {
    defer { ERR_clear_error() }
    guard let key = hearth_private_key_from_pem(privatePEM, privatePEM.count) else { return nil }
    guard hearth_is_p256(key) == 1 else {
      EVP_PKEY_free(key)
      return nil
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Signs `bytes` with ES256, r and s of 32 bytes each; nil when OpenSSL fails.
  func sign(_ bytes: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
    // r and s with their DER headers take at most 72 bytes.
    var signature = [UInt8](repeating: 0, count: 80)
    var length = signature.count
    guard EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else { return nil }
    var raw = [UInt8](repeating: 0, count: 64)
    return hearth_p256_signature_raw(signature, length, &raw) == 1 ? raw : nil
  }
}
