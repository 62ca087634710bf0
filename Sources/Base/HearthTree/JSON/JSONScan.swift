/// A search for special bytes in text, eight bytes at a time.
enum JSONScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Returns the offset of the first byte at or after `start` that is a quote, a backslash, below 0x20 or above 0x7F;
  /// the end if there is none.
  @inline(__always)
  static func special(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var i = start
    while i + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      let hits = (marks(word) | word) & tops
      if hits != 0 { return i + hits.trailingZeroBitCount >> 3 }
      i += 8
    }
    while i < bytes.count {
      let byte = bytes[i]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { return i }
      i += 1
    }
    return i
  }

  /// Returns the offset of the first byte at or after `start` that needs an escape when it is written: a quote, a
  /// backslash or a byte below 0x20; the end if there is none.
  @inline(__always)
  static func escapable(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var i = start
    while i + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      // A borrow in the subtraction can mark a byte after the first real match falsely, so only the first mark is used.
      // A byte above 0x7F has no effect on other bytes.
      let hits = marks(word) & ~word & tops
      if hits != 0 { return i + hits.trailingZeroBitCount >> 3 }
      i += 8
    }
    while i < bytes.count {
      let byte = bytes[i]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return i }
      i += 1
    }
    return i
  }

  /// Returns the top bit of every byte that is a quote, a backslash or below 0x20, exact up to the first such byte;
  /// bytes above 0x7F may or may not be marked.
  @inline(__always)
  private static func marks(_ word: UInt64) -> UInt64 {
    let quote = (word ^ (ones &* 0x22)) &- ones
    let backslash = (word ^ (ones &* 0x5C)) &- ones
    return (word &- ones &* 0x20) | quote | backslash
  }
}
