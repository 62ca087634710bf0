/// Base64 with the URL alphabet and without padding (RFC 4648 §5), as tokens use it.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The value of each character by its byte; 255 for bytes outside the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  /// Returns the text of bytes.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        out.append(alphabet[Int(bits >> UInt32(bitCount)) & 63])
      }
    }
    if bitCount > 0 { out.append(alphabet[Int(bits << UInt32(6 - bitCount)) & 63]) }
    return String(decoding: out, as: UTF8.self)
  }

  /// Decodes canonical text; nil for any other text.
  ///
  /// Unused trailing bits must be zero: otherwise several texts would be decoded to the same token, and a cache or a
  /// revocation list that compares texts could be bypassed.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in text {
      let value = values[Int(byte)]
      guard value != 255 else { return nil }
      bits = (bits << 6 | UInt32(value)) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        out.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    guard bits & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
    return out
  }
}
