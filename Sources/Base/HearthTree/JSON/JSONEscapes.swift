import HearthBytes

/// The decoder of escapes in a string whose content a reader has checked.
enum JSONEscapes {
  /// Returns the content with every escape resolved.
  static func decoded(_ raw: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    append(raw, to: &bytes)
    return bytes
  }

  static func append(_ raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + raw.count)
    var i = 0
    while i < raw.count {
      guard raw[i] == UInt8(ascii: "\\"), i + 1 < raw.count else {
        let end = raw[(i + 1)...].firstIndex(of: UInt8(ascii: "\\")) ?? raw.count
        bytes.append(contentsOf: raw[i..<end])
        i = end
        continue
      }
      let letter = raw[i + 1]
      i += 2
      if letter == UInt8(ascii: "u") {
        i = appendCodePoint(of: raw, at: i, to: &bytes)
      } else {
        bytes.append(plain(letter))
      }
    }
  }

  /// Returns the character of a one-letter escape.
  private static func plain(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// Appends the character of a `\u` escape, which is four digits or, for a surrogate pair, four digits, `\u` and four
  /// digits; and returns the end of the escape.
  private static func appendCodePoint(of raw: UnsafeRawBufferPointer, at start: Int, to bytes: inout [UInt8]) -> Int {
    var (point, end) = (unit(of: raw, at: start), start + 4)
    if (0xD800..<0xE000).contains(point) {
      let low = point < 0xDC00 && isEscape(raw, at: start + 4) ? unit(of: raw, at: start + 6) : 0
      guard (0xDC00..<0xE000).contains(low) else {
        bytes.append(contentsOf: orderedReplacement(point).utf8)
        return end
      }
      point = 0x10000 + (point & 0x3FF) << 10 + (low & 0x3FF)
      end = start + 10
    }
    switch point {
    case ..<0x80: bytes.append(UInt8(point))
    case ..<0x800: bytes.append(UInt8(0xC0 | point >> 6))
    case ..<0x10000: bytes.append(contentsOf: [UInt8(0xE0 | point >> 12), UInt8(0x80 | point >> 6 & 0x3F)])
    default:
      bytes.append(contentsOf: [
        UInt8(0xF0 | point >> 18), UInt8(0x80 | point >> 12 & 0x3F), UInt8(0x80 | point >> 6 & 0x3F),
      ])
    }
    if point >= 0x80 { bytes.append(UInt8(0x80 | point & 0x3F)) }
    return end
  }

  /// Returns true when `\u` is at `start`.
  private static func isEscape(_ raw: UnsafeRawBufferPointer, at start: Int) -> Bool {
    start + 1 < raw.count && raw[start] == UInt8(ascii: "\\") && raw[start + 1] == UInt8(ascii: "u")
  }

  /// Returns a text that sorts like the given half of a surrogate pair in UTF-16 order: after the last character before
  /// it.
  static func orderedReplacement(_ unit: UInt32) -> String {
    let last: UInt32 =
      switch unit {
      case ...0xD800: 0xD7FF
      case 0xDC00...: 0x10FFFF
      default: 0x10000 + (unit - 0xD800) << 10 - 1
      }
    return Unicode.Scalar(last).map { "\($0)\u{FFFF}" } ?? "\u{FFFF}"
  }

  private static func unit(of raw: UnsafeRawBufferPointer, at start: Int) -> UInt32 {
    guard start + 4 <= raw.count else { return 0xFFFD }
    return raw[start..<start + 4].reduce(0) { $0 << 4 | UInt32(Hexadecimal.value(of: $1) ?? 0) }
  }
}
