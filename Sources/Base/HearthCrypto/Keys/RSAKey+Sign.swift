import COpenSSL

extension RSAKey {
  /// Signs `bytes` with RS256 (PKCS#1 v1.5, SHA-256); nil when the key has no private half or OpenSSL fails. About 0.6
  /// ms.
  func sign(_ bytes: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    var keyContext: OpaquePointer?  // freed with the digest context
    guard EVP_DigestSignInit(context, &keyContext, EVP_sha256(), nil, key) == 1, let keyContext,
      EVP_PKEY_CTX_set_rsa_padding(keyContext, RSA_PKCS1_PADDING) == 1
    else { return nil }
    var signature = [UInt8](repeating: 0, count: modulusBytes)
    var length = signature.count
    guard EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1, length == modulusBytes else {
      return nil
    }
    return signature
  }

  /// Returns the modulus and the public exponent, big-endian without leading zeros; nil when OpenSSL fails.
  func numbers() -> (modulus: [UInt8], exponent: [UInt8])? {
    defer { ERR_clear_error() }
    guard let modulus = number("n", sizeBytesMax: modulusBytes), let exponent = number("e", sizeBytesMax: 16) else {
      return nil
    }
    return (modulus, exponent)
  }

  private func number(_ name: String, sizeBytesMax: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: sizeBytesMax)
    let count = hearth_key_number(key, name, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Returns a self-signed X.509 certificate in PEM, the format of public keys that admin SDKs expect; nil when OpenSSL
  /// fails. The same arguments give the same text.
  ///
  /// - Parameters:
  /// - commonName: At most 64 characters.
  /// - serial: 1 to 20 bytes.
  /// - notBeforeSeconds: Seconds since 1970.
  func certificate(commonName: String, serial: [UInt8], notBeforeSeconds: Int64) -> String? {
    defer { ERR_clear_error() }
    guard let bio = hearth_self_signed_certificate(key, commonName, serial, serial.count, notBeforeSeconds) else {
      return nil
    }
    defer { BIO_free(bio) }
    var bytes: UnsafeMutablePointer<CChar>?
    let count = hearth_bio_bytes(bio, &bytes)
    guard count > 0, let bytes else { return nil }
    // Safe because the BIO owns `count` bytes at the address until it is freed, after the copy.
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
