/// Base64 with the standard alphabet (RFC 4648 §4), as password hashes are written.
public enum Base64 {
  /// Padded.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    let text = encodeUnpadded(bytes)
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  /// Without padding.
  public static func encodeUnpadded(_ bytes: some Collection<UInt8>) -> String {
    let text = Base64URL.encode(bytes).utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that a canonical text without padding stands for; nil for any other text.
  public static func decodeUnpadded(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard !text.contains(UInt8(ascii: "-")), !text.contains(UInt8(ascii: "_")) else { return nil }
    return Base64URL.decode(withURLAlphabet(text))
  }

  /// The bytes of a text that somebody else wrote: in the standard or the URL alphabet, padded or not. Nil for anything
  /// else.
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
