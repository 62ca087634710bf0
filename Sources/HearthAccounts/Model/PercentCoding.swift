import HearthCrypto

/// Percent-encoding of URLs and forms.
package enum PercentCoding {
  /// Everything but letters, digits, `-`, `.`, `_` and `~` as %XX of its UTF-8 bytes.
  package static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in text.utf8 {
      if byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The text that is meant; nil for a broken escape or bytes that are not UTF-8.
  ///
  /// - Parameter isForm: whether a plus sign means a space.
  package static func decode(_ text: some Sequence<UInt8>, isForm: Bool = false) -> String? {
    var out: [UInt8] = []
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case UInt8(ascii: "+") where isForm: out.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = bytes.next().flatMap(Hexadecimal.value), let low = bytes.next().flatMap(Hexadecimal.value)
        else {
          return nil
        }
        out.append(high << 4 | low)
      default: out.append(byte)
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  /// Names and values of `a=1&b=2`; empty pieces are dropped. Nil when a piece cannot be decoded.
  package static func pairs(_ form: some Collection<UInt8>) -> [(name: String, value: String)]? {
    var pairs: [(name: String, value: String)] = []
    for piece in form.split(separator: UInt8(ascii: "&")) {
      let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decode(halves[0], isForm: true),
        let value = decode(halves.count > 1 ? Array(halves[1]) : [], isForm: true)
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }
}

extension UInt8 {
  var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
