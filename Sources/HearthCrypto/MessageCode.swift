import COpenSSL

/// Keyed hashes.
enum MessageCode {
  /// HMAC-SHA-256, 32 bytes; nil when the key is empty (an empty key authenticates nobody) or OpenSSL fails.
  static func hmacSHA256(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard !key.isEmpty, let keyLength = Int32(exactly: key.count) else { return nil }
    var out = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    guard HMAC(EVP_sha256(), key, keyLength, data, data.count, &out, &length) != nil, length == 32 else { return nil }
    return out
  }
}
