/// The message authentication code that this server's own formats use.
public enum MessageAuthenticationCode {
  /// Returns the HMAC-SHA-256, 32 bytes; nil when the key is empty, which would not authenticate a sender, or when
  /// OpenSSL fails.
  public static func hmacSHA256(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    HashFunction.sha256.hmac(data, key: key)
  }
}
