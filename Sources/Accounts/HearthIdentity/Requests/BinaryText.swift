import HearthBytes
import HearthCrypto

/// Bytes in base64, of either alphabet, with or without padding: browsers and apps differ.
enum BinaryText {
  /// Returns the text as base64url.
  static func urlForm(_ text: String) -> String {
    var bytes = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
    while bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The bytes of a Base64 text; nil for any other text.
  static func bytes(_ text: String) -> [UInt8]? { Base64URL.decode(Array(urlForm(text).utf8)) }
}
