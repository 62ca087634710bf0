import HearthJournal

/// The iteration over a write-ahead log's frames with its running checksum.
struct FrameReader {
  enum Frame: Equatable {
    /// The checksum matches.
    case valid(endsCommit: Bool)
    /// The frame belongs to this generation, but its checksum or an earlier one is wrong.
    case broken(endsCommit: Bool)
    /// The frame belongs to an earlier generation, or is not a frame.
    case foreign
  }

  /// True when the header's checksum matches.
  let isHeaderValid: Bool

  /// The page size; nil when it is not a valid one.
  let pageBytes: Int?

  private let isBigEndian: Bool
  private var salt: UInt64?
  private var checksum = Checksum()
  private var isBroken: Bool

  /// Creates a reader of the frames after `header`, which is 32 bytes, or empty when the file is shorter.
  ///
  /// - Parameter databasePageBytes: The page size of the database file, used when the header is invalid.
  init(header: [UInt8], databasePageBytes: Int) {
    guard header.count == WriteAheadLog.headerBytes else {
      (isHeaderValid, pageBytes, isBigEndian, salt, isBroken) = (false, nil, false, nil, true)
      return
    }
    let magic = word(header, 0)
    isBigEndian = magic & 1 == 1
    checksum.add(header, 0..<24, bigEndian: isBigEndian)
    let size = Int(word(header, 8))
    isHeaderValid =
      magic & ~1 == 0x377F_0682 && checksum.isStored(in: header, at: 24) && Self.isPageSize(size)
    let fallback = Self.isPageSize(databasePageBytes) ? databasePageBytes : nil
    pageBytes = isHeaderValid ? size : fallback
    // An invalid header gives no salt: that of the first frame is used instead.
    salt = isHeaderValid ? long(header, 16) : nil
    isBroken = !isHeaderValid
  }

  private static func isPageSize(_ bytes: Int) -> Bool {
    bytes >= 512 && bytes <= 65_536 && bytes & (bytes - 1) == 0
  }

  /// Classifies the next frame, with its header and page.
  mutating func next(_ frame: [UInt8]) -> Frame {
    if salt == nil, word(frame, 0) != 0 { salt = long(frame, 8) }
    guard hasSalt(frame), word(frame, 0) != 0 else { return .foreign }
    let endsCommit = word(frame, 4) != 0
    guard !isBroken else { return .broken(endsCommit: endsCommit) }
    checksum.add(frame, 0..<8, bigEndian: isBigEndian)
    checksum.add(frame, WriteAheadLog.frameHeaderBytes..<frame.count, bigEndian: isBigEndian)
    isBroken = !checksum.isStored(in: frame, at: 16)
    return isBroken ? .broken(endsCommit: endsCommit) : .valid(endsCommit: endsCommit)
  }

  /// Returns true when a frame header has this generation's salt.
  func hasSalt(_ frame: [UInt8]) -> Bool {
    salt == long(frame, 8)
  }
}

/// The checksum of a write-ahead log: two sums over pairs of 32-bit words.
private struct Checksum {
  private var first: UInt32 = 0
  private var second: UInt32 = 0

  mutating func add(_ bytes: [UInt8], _ range: Range<Int>, bigEndian: Bool) {
    bytes.withUnsafeBytes { bytes in
      var offset = range.lowerBound
      while offset + 8 <= range.upperBound {
        let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        first = first &+ (bigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
        second = second &+ (bigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
        offset += 8
      }
    }
  }

  func isStored(in bytes: [UInt8], at offset: Int) -> Bool {
    first == word(bytes, offset) && second == word(bytes, offset + 4)
  }
}

private func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
  bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
}

private func long(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
  UInt64(word(bytes, offset)) << 32 | UInt64(word(bytes, offset + 4))
}
