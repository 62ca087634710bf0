/// The content-defined chunking of a stream into pieces: an insertion changes the pieces around it, and later pieces
/// stay the same.
///
/// A cut is after a byte where a rolling hash of the last 64 bytes ends in enough zeros (the gear hash of FastCDC: each
/// byte shifts the hash by one bit and adds a random number that the byte selects). The first `pieceBytesMin` bytes of
/// a piece have no cut, and the piece always ends at `pieceBytesMax`.
struct StreamCutter {
  /// The random numbers of 64 bits for each byte: SplitMix64 from the seed 0x4865_6172_7468. They are not part of a
  /// format, but with other numbers no existing piece would be reused.
  private static let gear: [UInt64] = {
    var state: UInt64 = 0x4865_6172_7468
    return (0..<256).map { _ in
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }()

  /// The mask of the highest bits of the hash, which all 64 bytes influence: as many that a cut has a probability of
  /// one in `cutDistanceBytesAverage`.
  private static let mask = ~(UInt64.max >> UInt64(BackupLimits.cutDistanceBytesAverage.trailingZeroBitCount))

  private var piece: [UInt8] = []
  private var hash: UInt64 = 0

  /// Adds bytes.
  ///
  /// - Parameter body: Receives each complete piece.
  mutating func take(_ bytes: [UInt8], _ body: ([UInt8]) throws -> Void) rethrows {
    var start = 0
    while start < bytes.count {
      let end = cut(bytes, from: start)
      piece += bytes[start..<(end ?? bytes.count)]
      start = end ?? bytes.count
      if end != nil { try finish(body) }
    }
  }

  /// Returns the index after the last byte of the piece; nil when the piece goes on.
  private mutating func cut(_ bytes: [UInt8], from start: Int) -> Int? {
    let have = piece.count
    // No cut is possible before the minimum size, and only the last 64 bytes before it influence the hash.
    let first = min(bytes.count, start + max(0, BackupLimits.pieceBytesMin - have))
    let last = min(bytes.count, start + BackupLimits.pieceBytesMax - have)
    var hash = hash
    let found = Self.gear.withUnsafeBufferPointer { gear in
      bytes.withUnsafeBufferPointer { bytes -> Int? in
        for index in max(start, first - 64)..<max(start, first) { hash = hash << 1 &+ gear[Int(bytes[index])] }
        var index = first
        while index < last {
          hash = hash << 1 &+ gear[Int(bytes[index])]
          index += 1
          if hash & Self.mask == 0 { return index }
        }
        return nil
      }
    }
    self.hash = hash
    return found ?? (have + last - start == BackupLimits.pieceBytesMax ? last : nil)
  }

  /// Ends the stream, or a part of it, with a piece.
  mutating func finish(_ body: ([UInt8]) throws -> Void) rethrows {
    hash = 0
    guard !piece.isEmpty else { return }
    let done = piece
    piece = []
    try body(done)
  }
}
