/// A validator of UTF-8 (RFC 3629) for bytes that arrive in pieces of any size.
struct UTF8Validator: Sendable {
  /// The number of continuation bytes that the character still needs.
  private var missing: UInt8 = 0
  /// The lower bound of the next continuation byte; narrower after bytes that could start an overlong form, a surrogate
  /// or a number above U+10FFFF.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF

  /// True between characters.
  var isComplete: Bool { missing == 0 }

  /// Takes the next bytes; returns false when no text can contain them.
  mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var i = 0
    while i < bytes.count {
      if missing == 0 {
        i = Self.skipASCII(bytes, from: i)
        guard i < bytes.count else { return true }
      }
      guard accept(bytes[i]) else { return false }
      i += 1
    }
    return true
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard byte >= lowest, byte <= highest else { return false }
      missing -= 1
      (lowest, highest) = (0x80, 0xBF)
      return true
    }
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, lowest) = (2, 0xA0)
    case 0xED: (missing, highest) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lowest) = (3, 0x90)
    case 0xF4: (missing, highest) = (3, 0x8F)
    case 0xF1...0xF3: missing = 3
    default: return false
    }
    return true
  }

  /// Returns the index of the first byte at or after `start` that is not ASCII.
  private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var i = start
    while i + 8 <= bytes.count, bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
      i += 8
    }
    while i < bytes.count, bytes[i] < 0x80 { i += 1 }
    return i
  }
}
