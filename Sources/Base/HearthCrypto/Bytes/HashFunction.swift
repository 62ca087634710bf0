import COpenSSL

/// Hash functions of the SHA family, and MD5. MD5 and SHA-1 are used only for formats and protocols that require them.
public enum HashFunction: String, Sendable, CaseIterable {
  /// MD5 (RFC 1321), 16 bytes: for imported password hashes only.
  case md5
  /// SHA-1 (FIPS 180-4), 20 bytes: for one-time passwords, OAuth 1 and imported password hashes, which require it.
  case sha1
  /// SHA-256 (FIPS 180-4), 32 bytes.
  case sha256
  /// SHA-512 (FIPS 180-4), 64 bytes.
  case sha512

  /// The size of a hash in bytes.
  public var sizeBytes: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  private var algorithm: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    }
  }

  /// Returns the hash of `data`; nil when OpenSSL refuses the function, such as MD5 in FIPS mode.
  public func digest(_ data: [UInt8]) -> [UInt8]? { data.withUnsafeBytes { digest($0) } }

  /// Returns the HMAC (RFC 2104); nil when the key is empty, which would not authenticate a sender, or when OpenSSL
  /// refuses.
  public func hmac(_ data: [UInt8], key: [UInt8]) -> [UInt8]? { data.withUnsafeBytes { hmac($0, key: key) } }

  func digest(_ data: UnsafeRawBufferPointer) -> [UInt8]? {
    var out = [UInt8](repeating: 0, count: sizeBytes)
    guard EVP_Digest(data.baseAddress, data.count, &out, nil, algorithm, nil) == 1 else {
      ERR_clear_error()
      return nil
    }
    return out
  }

  func hmac(_ data: UnsafeRawBufferPointer, key: [UInt8]) -> [UInt8]? {
    guard !key.isEmpty, let keyLength = Int32(exactly: key.count) else { return nil }
    var out = [UInt8](repeating: 0, count: sizeBytes)
    let bytes = data.assumingMemoryBound(to: UInt8.self)
    guard HMAC(algorithm, key, keyLength, bytes.baseAddress, bytes.count, &out, nil) != nil else {
      ERR_clear_error()
      return nil
    }
    return out
  }

  /// Derives a key by PBKDF2 (RFC 8018) with HMAC with this function; nil when OpenSSL refuses.
  func pbkdf2(_ password: borrowing WipedBytes, salt: [UInt8], iterations: Int, sizeBytes: Int) -> [UInt8]? {
    guard let length = Int32(exactly: password.count), let saltLength = Int32(exactly: salt.count),
      let rounds = Int32(exactly: iterations), let outLength = Int32(exactly: sizeBytes), rounds > 0, outLength > 0
    else { return nil }
    var out = [UInt8](repeating: 0, count: sizeBytes)
    let done = password.withBytes { password in
      PKCS5_PBKDF2_HMAC(
        password.assumingMemoryBound(to: CChar.self).baseAddress, length, salt, saltLength, rounds, algorithm,
        outLength, &out)
    }
    guard done == 1 else {
      ERR_clear_error()
      return nil
    }
    return out
  }
}
