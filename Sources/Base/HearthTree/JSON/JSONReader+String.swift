import HearthBytes

/// The range of a string's content in the text, between its quotes. The content is already checked.
struct JSONSpan {
  var start: Int
  var end: Int
  var hasEscapes: Bool
  /// The number of bytes with the escapes resolved.
  var size: Int
}

extension JSONReader {
  /// Skips and checks a string. The cursor is at its opening quote.
  mutating func stringSpan() throws(JSONError) -> JSONSpan {
    let start = position + 1
    var i = start
    var size = 0  // The size of the decoded escapes minus that of their text.
    var hasEscapes = false
    while true {
      i = JSONScan.special(in: bytes, from: i)
      guard i < bytes.count else { throw JSONError(.unexpectedEnd, "Unterminated string", at: bytes.count) }
      switch bytes[i] {
      case UInt8(ascii: "\""):
        position = i + 1
        return JSONSpan(start: start, end: i, hasEscapes: hasEscapes, size: i - start + size)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        let (end, written) = try escape(at: i)
        size += written - (end - i)
        i = end
      case 0x80...:
        repeat { i = try character(at: i) } while i < bytes.count && bytes[i] >= 0x80
      default:
        throw JSONError(.unexpectedByte, "Control character in a string", at: i)
      }
    }
  }

  /// Returns the string of a span.
  func text(of span: JSONSpan) -> String {
    let raw = UnsafeRawBufferPointer(rebasing: bytes[span.start..<span.end])
    return JSONName(raw: raw, hasEscapes: span.hasEscapes).text
  }

  /// Checks one escape, and returns its end and the number of UTF-8 bytes of its character.
  private func escape(at start: Int) throws(JSONError) -> (end: Int, size: Int) {
    guard start + 1 < bytes.count else {
      throw JSONError(.unexpectedEnd, "Unterminated string", at: bytes.count)
    }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return (start + 2, 1)
    case UInt8(ascii: "u"):
      let unit = try codeUnit(at: start)
      switch unit {
      case 0xD800..<0xE000:
        if unit < 0xDC00, start + 7 < bytes.count, bytes[start + 6] == UInt8(ascii: "\\"),
          bytes[start + 7] == UInt8(ascii: "u"), (0xDC00..<0xE000).contains(try codeUnit(at: start + 6))
        {
          return (start + 12, 4)
        }
        guard acceptsLoneSurrogates else { throw JSONError(.invalidEscape, "Lone half of a surrogate pair", at: start) }
        return (start + 6, JSONEscapes.orderedReplacement(unit).utf8.count)
      case ..<0x80: return (start + 6, 1)
      case ..<0x800: return (start + 6, 2)
      default: return (start + 6, 3)
      }
    default: throw JSONError(.invalidEscape, "Unknown escape", at: start)
    }
  }

  /// Returns the code unit of `\uXXXX` at `start`.
  private func codeUnit(at start: Int) throws(JSONError) -> UInt32 {
    guard start + 6 <= bytes.count else {
      throw JSONError(.unexpectedEnd, "Unterminated string", at: bytes.count)
    }
    var unit: UInt32 = 0
    for i in start + 2..<start + 6 {
      guard let digit = Hexadecimal.value(of: bytes[i]) else {
        throw JSONError(.invalidEscape, "An escape needs four hexadecimal digits", at: start)
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Checks one UTF-8 sequence of two to four bytes (Unicode 16, table 3-7), and returns its end.
  private func character(at start: Int) throws(JSONError) -> Int {
    let lead = bytes[start]
    var second: ClosedRange<UInt8> = 0x80...0xBF
    let size: Int
    switch lead {
    case 0xC2...0xDF: size = 2
    case 0xE0: (size, second) = (3, 0xA0...0xBF)
    case 0xE1...0xEC, 0xEE...0xEF: size = 3
    case 0xED: (size, second) = (3, 0x80...0x9F)
    case 0xF0: (size, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: size = 4
    case 0xF4: (size, second) = (4, 0x80...0x8F)
    default: throw JSONError(.invalidUTF8, "Not UTF-8", at: start)
    }
    guard start + size <= bytes.count, second.contains(bytes[start + 1]) else {
      throw JSONError(.invalidUTF8, "Not UTF-8", at: start)
    }
    for i in start + 2..<start + size where bytes[i] & 0xC0 != 0x80 {
      throw JSONError(.invalidUTF8, "Not UTF-8", at: start)
    }
    return start + size
  }
}
