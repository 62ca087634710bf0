/// `%XX` escapes of URLs and forms (RFC 3986 §2.1).
public enum PercentEncoding {
  /// Returns the text with all characters except letters, digits, `-`, `.`, `_` and `~` as `%XX` of its UTF-8 bytes.
  public static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        out.append(byte)
      default: out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the text with its escapes resolved; nil for a broken escape, or when the resulting bytes are not UTF-8.
  ///
  /// - Parameter plusIsSpace: True for forms, false for paths.
  public static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
    decode(bytes, plusIsSpace: plusIsSpace, isLenient: false)
  }

  /// Returns the text as database clients expect it: an escape that is incomplete or not hexadecimal is kept unchanged.
  public static func decodeLeniently(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
    decode(bytes, plusIsSpace: plusIsSpace, isLenient: true)
  }

  /// Returns the names and values of a form, `a=1&b=2`; empty parts are dropped. nil when a part cannot be decoded.
  public static func pairs(_ form: some Collection<UInt8>) -> [(name: String, value: String)]? {
    var pairs: [(name: String, value: String)] = []
    for piece in form.split(separator: UInt8(ascii: "&")) {
      let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decode(halves[0], plusIsSpace: true),
        let value = halves.count > 1 ? decode(halves[1], plusIsSpace: true) : ""
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }

  private static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool, isLenient: Bool) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte == UInt8(ascii: "+") && plusIsSpace ? UInt8(ascii: " ") : byte)
        continue
      }
      if let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit) {
        decoded.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        guard isLenient else { return nil }
        decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
