import COpenSSL

/// Comparisons in a time that depends only on the lengths.
public enum ConstantTime {
  /// Returns true when two byte strings are equal. The time reveals the lengths; callers with secret lengths compare
  /// hashes instead.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
