import COpenSSL

/// scrypt (RFC 7914), and Firebase's variant.
enum Scrypt {
  /// The algorithm, fetched once; safe to share because OpenSSL counts its references and does not change it.
  private nonisolated(unsafe) static let algorithm = EVP_KDF_fetch(nil, "SCRYPT", nil)

  /// Derives bytes from a password; nil when OpenSSL refuses, for example because memory is exhausted.
  static func derive(
    _ password: borrowing WipedBytes, salt: [UInt8], logN: Int, r: Int, p: Int, sizeBytes: Int
  ) -> [UInt8]? {
    guard let algorithm, (1...24).contains(logN), let block = UInt32(exactly: r), let lanes = UInt32(exactly: p)
    else { return nil }
    var out = [UInt8](repeating: 0, count: sizeBytes)
    let done = password.withBytes { password in
      // An empty array may have no address, which the parameter list needs, so a zero byte is appended.
      hearth_scrypt(
        algorithm, password.baseAddress, password.count, salt + [0], salt.count, 1 << UInt64(logN), block, lanes, &out,
        sizeBytes)
    }
    guard done == 1 else {
      ERR_clear_error()
      return nil
    }
    return out
  }

  /// Returns Firebase's hash: the project's signer key, encrypted with AES-256 in counter mode under the scrypt of the
  /// password; as long as the signer key. The salt is followed by the project's separator.
  static func firebase(
    _ password: borrowing WipedBytes, salt: [UInt8], logN: Int, r: Int, signerKey: [UInt8]
  ) -> [UInt8]? {
    guard !signerKey.isEmpty, let length = Int32(exactly: signerKey.count),
      var key = derive(password, salt: salt, logN: logN, r: r, p: 1, sizeBytes: 32)
    else { return nil }
    defer { key.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    guard let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let start = [UInt8](repeating: 0, count: 16)
    var out = [UInt8](repeating: 0, count: signerKey.count)
    var written: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, start) == 1,
      EVP_EncryptUpdate(context, &out, &written, signerKey, length) == 1, written == length
    else {
      ERR_clear_error()
      return nil
    }
    return out
  }
}
