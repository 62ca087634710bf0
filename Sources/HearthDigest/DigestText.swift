/// A digest as text: Base64 with the standard alphabet and padding (RFC 4648, section 4).
public enum DigestText {
  private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  /// Bytes of the text of so many bytes, with its padding.
  public static func encodedSize(of count: Int) -> Int { (count + 2) / 3 * 4 }

  /// Writes the text of `bytes` to `output`, which has room for ``encodedSize(of:)`` bytes.
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

  /// The text of `bytes`.
  public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
    let size = encodedSize(of: bytes.count)
    return String(unsafeUninitializedCapacity: size) { output in
      encode(bytes, into: output)
      return size
    }
  }
}
