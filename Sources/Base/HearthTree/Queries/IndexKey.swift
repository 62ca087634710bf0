// The keys of an index: the child's sort value, followed by the child's key, as bytes that are ordered by the sort
// value and then by the key.
//
//     index key = value key
//     value     = "A"                       missing
//               | "B" | "C"                 false, true
//               | "D" 10 bytes              number: the double's bits, made sortable, seven in a byte, highest first
//               | "E" text 00               text, of which the 256th byte is in the last character, if it has as many
//               | "E" text 02               a longer text, up to the end of that character
//               | "F"                       interior node
//     text      = UTF-8, with 00, 01 and 02 written as 01 01, 01 02 and 01 03
//     key       = 01 6 bytes key            a key that is an integer: its rank, seven bits in a byte, highest first
//               | 02 key                    any other
//
// Texts and keys are compared by UTF-16 code unit, as the pages of a tree do for all keys that are not integers; the
// letter at the front ensures that no index key is an integer. The terminators are smaller than all bytes that can
// follow in a text, so that a shorter text comes first.
//
// Texts with the same first 256 bytes are ordered by their keys in the index. A walk over an index sorts such a group
// by the texts themselves. Index keys are UTF-8, as all keys.
//
// Example: the child "a" with the value 1 is 44 01 3F 78 00 00 00 00 00 00 00 02 61.

/// The encoding of the keys of an index.
struct IndexKey {
  /// The size from which a text in a key is truncated, at the end of a character, because pages are efficient when a
  /// hundred entries fit in a few of them.
  static let textSizeBytesMax = 256

  /// The byte that comes after every key that can follow a value.
  static let behindKeys: UInt8 = 0x7F

  private static let textTag = UInt8(ascii: "E")
  private static let numberTag = UInt8(ascii: "D")
  private static let numberDigitCount = 10
  private static let rankDigitCount = 6
  private static let (endOfText, escape, cut): (UInt8, UInt8, UInt8) = (0, 1, 2)
  private static let (integerKey, otherKey): (UInt8, UInt8) = (1, 2)

  private(set) var bytes: [UInt8] = []

  init(_ value: SortValue) {
    switch value {
    case .missing: bytes.append(UInt8(ascii: "A"))
    case .bool(false): bytes.append(UInt8(ascii: "B"))
    case .bool(true): bytes.append(UInt8(ascii: "C"))
    case .number(let number):
      bytes.append(Self.numberTag)
      let bits = number.bitPattern
      append(bits >> 63 == 0 ? bits | 1 << 63 : ~bits, digitCount: Self.numberDigitCount)
    case .text(let text):
      bytes.append(Self.textTag)
      text.withUTF8 { append(text: $0) }
    case .interior: bytes.append(UInt8(ascii: "F"))
    }
  }

  init(_ value: SortValue, _ key: UnsafeRawBufferPointer) {
    self.init(value)
    append(key: key)
  }

  private mutating func append(_ number: UInt64, digitCount: Int) {
    for place in (0..<digitCount).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(7 * place) & 0x7F))
    }
  }

  /// Returns the number of bytes of a text that are in a key.
  static func keptCount(of text: UnsafeRawBufferPointer) -> Int {
    var end = min(textSizeBytesMax, text.count)
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }

  private mutating func append(text: UnsafeRawBufferPointer) {
    let kept = Self.keptCount(of: text)
    for byte in text.prefix(kept) {
      if byte <= Self.cut {
        bytes.append(Self.escape)
        bytes.append(byte + 1)
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(text.count > kept ? Self.cut : Self.endOfText)
  }

  mutating func append(key: UnsafeRawBufferPointer) {
    let rank = OrderedKey.rank(key)
    if OrderedKey.isInteger(rank: rank) {
      bytes.append(Self.integerKey)
      append(rank, digitCount: Self.rankDigitCount)
    } else {
      bytes.append(Self.otherKey)
    }
    bytes.append(contentsOf: key)
  }

  /// Appends a suffix that sorts after all children with the value.
  mutating func appendBehindKeys() { bytes.append(Self.behindKeys) }

  /// The parts of an index key: the end of its value, the start of the child's key, and whether its text was truncated.
  struct Parts {
    let isCut: Bool
    let valueEnd: Int
    let keyStart: Int

    /// Splits an index key; nil for bytes that are not an index key.
    init?(_ bytes: UnsafeRawBufferPointer) {
      guard let tag = bytes.first else { return nil }
      var position = 1
      var isCut = false
      if tag == IndexKey.numberTag {
        position += IndexKey.numberDigitCount
      } else if tag == IndexKey.textTag {
        while position < bytes.count, bytes[position] != IndexKey.endOfText, bytes[position] != IndexKey.cut {
          position += bytes[position] == IndexKey.escape ? 2 : 1
        }
        guard position < bytes.count else { return nil }
        isCut = bytes[position] == IndexKey.cut
        position += 1
      }
      guard position < bytes.count else { return nil }
      self.isCut = isCut
      valueEnd = position
      keyStart = position + 1 + (bytes[position] == IndexKey.integerKey ? IndexKey.rankDigitCount : 0)
      guard keyStart <= bytes.count else { return nil }
    }
  }
}
