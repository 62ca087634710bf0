/// The XXH64 hash function, implemented from its public specification (Yann Collet, "xxHash fast digest algorithm",
/// 0.1.1). It finds accidental damage, and does not withstand an attacker.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Returns the hash of `bytes`.
  package static func hash(_ bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { hash($0, seed: seed) }
  }

  /// Returns the hash of `bytes`.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var offset = 0
    var accumulator: UInt64
    if bytes.count >= 32 {
      (accumulator, offset) = stripes(bytes, seed: seed)
    } else {
      accumulator = seed &+ prime5
    }
    accumulator &+= UInt64(bytes.count)
    return avalanche(remainder(bytes, from: offset, into: accumulator))
  }

  /// Returns the merged four lanes over all whole stripes of 32 bytes, and the offset of the remaining bytes.
  private static func stripes(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> (UInt64, Int) {
    var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
    var offset = 0
    while bytes.count - offset >= 32 {
      lanes.0 = round(lanes.0, word64(bytes, offset))
      lanes.1 = round(lanes.1, word64(bytes, offset + 8))
      lanes.2 = round(lanes.2, word64(bytes, offset + 16))
      lanes.3 = round(lanes.3, word64(bytes, offset + 24))
      offset += 32
    }
    var merged = rotate(lanes.0, 1) &+ rotate(lanes.1, 7)
    merged = merged &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
    merged = mergeRound(merged, lanes.0)
    merged = mergeRound(merged, lanes.1)
    merged = mergeRound(merged, lanes.2)
    return (mergeRound(merged, lanes.3), offset)
  }

  /// Returns the accumulator after the up to 31 bytes that follow the last whole stripe.
  private static func remainder(
    _ bytes: UnsafeRawBufferPointer, from start: Int, into accumulator: UInt64
  ) -> UInt64 {
    var accumulator = accumulator
    var offset = start
    while bytes.count - offset >= 8 {
      accumulator ^= round(0, word64(bytes, offset))
      accumulator = rotate(accumulator, 27) &* prime1 &+ prime4
      offset += 8
    }
    if bytes.count - offset >= 4 {
      let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      accumulator ^= UInt64(word) &* prime1
      accumulator = rotate(accumulator, 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.count {
      accumulator ^= UInt64(bytes[offset]) &* prime5
      accumulator = rotate(accumulator, 11) &* prime1
      offset += 1
    }
    return accumulator
  }

  private static func avalanche(_ value: UInt64) -> UInt64 {
    var value = value
    value ^= value >> 33
    value = value &* prime2
    value ^= value >> 29
    value = value &* prime3
    return value ^ (value >> 32)
  }

  @inline(__always)
  private static func round(_ accumulator: UInt64, _ lane: UInt64) -> UInt64 {
    rotate(accumulator &+ lane &* prime2, 31) &* prime1
  }

  private static func mergeRound(_ accumulator: UInt64, _ lane: UInt64) -> UInt64 {
    (accumulator ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    (value << count) | (value >> (64 &- count))
  }

  @inline(__always)
  private static func word64(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
