/// The checksum XXH64 (xxHash by Yann Collet), which finds accidental damage. It does not withstand an attacker.
package enum XXH64 {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63, 0x27D4_EB2F_1656_67C5
  )

  /// Returns the checksum of the bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    let (prime1, prime2, prime3, prime4, prime5) = primes
    let count = bytes.count
    var (position, hash) = (0, UInt64(0))
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    if count >= 32 {
      var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
      while position + 32 <= count {
        lanes.0 = round(lanes.0, word(position))
        lanes.1 = round(lanes.1, word(position + 8))
        lanes.2 = round(lanes.2, word(position + 16))
        lanes.3 = round(lanes.3, word(position + 24))
        position += 32
      }
      hash = rotated(lanes.0, 1) &+ rotated(lanes.1, 7) &+ rotated(lanes.2, 12) &+ rotated(lanes.3, 18)
      for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
        hash = (hash ^ round(0, lane)) &* prime1 &+ prime4
      }
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(count)
    while position + 8 <= count {
      hash = rotated(hash ^ round(0, word(position)), 27) &* prime1 &+ prime4
      position += 8
    }
    if position + 4 <= count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
      hash = rotated(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
      position += 4
    }
    while position < count {
      hash = rotated(hash ^ UInt64(bytes[position]) &* prime5, 11) &* prime1
      position += 1
    }
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }

  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotated(lane &+ word &* primes.1, 31) &* primes.0
  }
}
