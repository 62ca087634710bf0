/// Base64 with the standard alphabet (RFC 4648 §4), as used for digests and password hashes.
public enum Base64 {
  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// Returns the length of the padded text for `count` bytes.
  public static func encodedSize(of count: Int) -> Int { (count + 2) / 3 * 4 }

  /// Writes the padded text of `bytes` to `output`, which has room for ``encodedSize(of:)`` bytes.
  public static func encode(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableBufferPointer<UInt8>) {
    let letters = alphabet.utf8Start  // because the alphabet is a literal of 64 ASCII letters
    var (i, o) = (0, 0)
    while i < bytes.count {
      let left = bytes.count - i
      let group =
        UInt32(bytes[i]) << 16 | (left > 1 ? UInt32(bytes[i + 1]) << 8 : 0) | (left > 2 ? UInt32(bytes[i + 2]) : 0)
      output[o] = letters[Int(group >> 18)]
      output[o + 1] = letters[Int(group >> 12 & 63)]
      output[o + 2] = left > 1 ? letters[Int(group >> 6 & 63)] : UInt8(ascii: "=")
      output[o + 3] = left > 2 ? letters[Int(group & 63)] : UInt8(ascii: "=")
      (i, o) = (i + 3, o + 4)
    }
  }

  /// Returns the padded text of `bytes`.
  public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
    let size = encodedSize(of: bytes.count)
    return String(unsafeUninitializedCapacity: size) { output in
      encode(bytes, into: output)
      return size
    }
  }

  /// Returns the padded text of bytes.
  public static func encode(_ bytes: some Collection<UInt8>) -> String { Array(bytes).withUnsafeBytes { encode($0) } }

  /// Returns the text of bytes without padding.
  public static func encodeUnpadded(_ bytes: some Collection<UInt8>) -> String {
    String(encode(bytes).prefix { $0 != "=" })
  }

  /// Decodes canonical text without padding; nil for any other text.
  public static func decodeUnpadded(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard !text.contains(UInt8(ascii: "-")), !text.contains(UInt8(ascii: "_")) else { return nil }
    return Base64URL.decode(withURLAlphabet(text))
  }

  /// Decodes text of another program, in the standard or the URL alphabet, padded or not; nil for any other text.
  public static func decodeLenient(_ text: some Collection<UInt8>) -> [UInt8]? {
    let length = text.count
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || length % 4 == 0 else { return nil }
    return Base64URL.decode(withURLAlphabet(text.prefix(length - padding)))
  }

  private static func withURLAlphabet(_ text: some Collection<UInt8>) -> [UInt8] {
    text.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
  }
}
