import COpenSSL

/// Comparisons in a time that depends on the lengths alone.
public enum ConstantTime {
  /// Returns true when two byte strings are equal. The lengths are not secret; hash both sides first where they are.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
