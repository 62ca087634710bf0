import COpenSSL

/// Keyed hashes.
public enum MessageCode {
  /// HMAC-SHA-256, 32 bytes; nil when the key is empty (an empty key authenticates nobody) or OpenSSL fails.
  public static func hmacSHA256(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    hmac(data, key: key, digest: EVP_sha256(), sizeBytes: 32)
  }

  /// HMAC-SHA-1, 20 bytes, which OAuth 1 prescribes and nothing else here uses; nil likewise.
  static func hmacSHA1(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    hmac(data, key: key, digest: EVP_sha1(), sizeBytes: 20)
  }

  private static func hmac(_ data: [UInt8], key: [UInt8], digest: OpaquePointer?, sizeBytes: Int) -> [UInt8]? {
    guard !key.isEmpty, let keyLength = Int32(exactly: key.count) else { return nil }
    var out = [UInt8](repeating: 0, count: sizeBytes)
    var length: UInt32 = 0
    guard HMAC(digest, key, keyLength, data, data.count, &out, &length) != nil, Int(length) == sizeBytes else {
      return nil
    }
    return out
  }
}
