/// The keyed hash of this server's own formats.
public enum MessageAuthenticationCode {
  /// HMAC-SHA-256, 32 bytes; nil when the key is empty (an empty key authenticates no sender) or OpenSSL fails.
  public static func hmacSHA256(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    HashFunction.sha256.hmac(data, key: key)
  }
}
