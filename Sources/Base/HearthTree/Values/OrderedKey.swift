/// The bytes of a key with its rank in the service's order, computed once and compared many times.
///
/// The order is: keys that are 32-bit integers first, by number, then the shorter text first; all others by UTF-16 code
/// unit. It has raw pointers, because a search compares thousands of keys in place in their pages: the creator of an
/// `OrderedKey` keeps the bytes alive while it is used.
struct OrderedKey {
  let bytes: UnsafeRawBufferPointer
  /// The rank: the key with the smaller rank comes first. Keys that are not integers and have equal ranks must be
  /// compared by their bytes.
  let rank: UInt64

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    rank = Self.rank(bytes)
  }

  /// Returns the order of two keys: negative when this is before the other, zero when they are the same, positive when
  /// it is after.
  func compare(_ other: UnsafeRawBufferPointer) -> Int {
    compare(other, rank: Self.rank(other))
  }

  func compare(_ other: OrderedKey) -> Int { compare(other.bytes, rank: other.rank) }

  func compare(_ other: UnsafeRawBufferPointer, rank otherRank: UInt64) -> Int {
    if rank != otherRank { return rank < otherRank ? -1 : 1 }
    return Self.isInteger(rank: rank) ? 0 : Self.compareTexts(bytes, other)
  }

  static func isInteger(rank: UInt64) -> Bool { rank >> 63 == 0 }
}

extension OrderedKey {
  /// Returns the rank of a key. For an integer, it consists of value, length and sign, which identify the key; for
  /// others, of the top bit and then 63 bits of the text.
  static func rank(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    guard count > 0, let base = bytes.baseAddress else { return 1 << 63 }
    if count <= 11, let integer = integerRank(bytes) { return integer }
    var head: UInt64 = 0
    if count >= 8 {
      head = UInt64(bigEndian: base.loadUnaligned(as: UInt64.self))
    } else {
      for i in 0..<count { head |= UInt64(bytes[i]) << UInt64(56 - 8 * i) }
    }
    if head & 0x8080_8080_8080_8080 != 0 { head = utf16Ordered(head) }
    return head >> 1 | 1 << 63
  }

  private static func integerRank(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    let isNegative = bytes[0] == 0x2D
    var i = isNegative ? 1 : 0
    guard i < bytes.count else { return nil }
    var value: Int64 = 0
    while i < bytes.count {
      let digit = bytes[i] &- 0x30
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int64(digit)  // at most eleven digits
      i += 1
    }
    if isNegative { value = -value }
    guard value >= Int64(Int32.min), value <= Int64(Int32.max) else { return nil }
    // The sign orders "-0" before "00"; no other two integer keys have value and length in common.
    return UInt64(value + 0x8000_0000) << 8 | UInt64(bytes.count) << 1 | (isNegative ? 0 : 1)
  }

  /// Maps a byte to its value in UTF-16 order. UTF-8 bytes have the order of code points. In UTF-16 the surrogates of
  /// astral characters come before U+E000…U+FFFF, so the lead bytes F0…F4 are swapped with EE and EF.
  private static func utf16Ordered(_ byte: UInt8) -> UInt8 {
    switch byte {
    case 0xEE, 0xEF: byte + 5
    case 0xF0...0xF4: byte - 2
    default: byte
    }
  }

  private static func utf16Ordered(_ head: UInt64) -> UInt64 {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      result |= UInt64(utf16Ordered(UInt8(truncatingIfNeeded: head >> shift))) << shift
    }
    return result
  }

  /// Returns the order of two UTF-8 texts by UTF-16 code unit.
  static func compareTexts(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let common = min(a.count, b.count)
    guard common > 0, let p = a.baseAddress, let q = b.baseAddress else { return a.count - b.count }
    var i = 0
    while i + 8 <= common {
      let difference =
        p.loadUnaligned(fromByteOffset: i, as: UInt64.self)
        ^ q.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      if difference != 0 {
        i += UInt64(littleEndian: difference).trailingZeroBitCount / 8
        return Int(utf16Ordered(a[i])) - Int(utf16Ordered(b[i]))
      }
      i += 8
    }
    while i < common {
      if a[i] != b[i] { return Int(utf16Ordered(a[i])) - Int(utf16Ordered(b[i])) }
      i += 1
    }
    return a.count - b.count
  }
}
