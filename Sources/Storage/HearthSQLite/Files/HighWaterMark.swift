import HearthBytes
import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The acknowledged end of a log, in a small file beside it. When the journal is opened, the actual end of the log is
/// compared with it.
///
/// Without the mark, a log that was truncated at the end of a commit looks like a complete shorter log, and a damaged
/// last commit like an unfinished one. The mark is written after each append is durable and before it is acknowledged.
/// The mark itself is made durable when the journal is opened and closed; between these, writing it costs a copy of 32
/// bytes into the system's page cache and no sync.
///
/// The mark proves that the log once ended at its position or later, so a log that ends before it has lost acknowledged
/// commits. This holds after a clean stop, and after the process was killed. After a failure of the machine itself, the
/// last marks may not have reached the disk, so that the mark does not prove that the log is complete.
///
/// The file, `<journal>.mark`, is 1,024 bytes long and has two slots, at 0 and at 512, which are written in turn so
/// that one of them is intact when the writing of the other is interrupted. A slot (integers little-endian):
///
///     0   "HrthMark"
///     8   sequence, 8 bytes: the number of earlier marks; the slot with the greater number is valid
///     16  position, 8 bytes: the last acknowledged one; 0 for an empty log
///     24  XXH64 of the bytes before it, with the seed 0
///
/// The eighth mark, at position 4,096:
///
///     48 72 74 68 4d 61 72 6b 07 00 00 00 00 00 00 00
///     00 10 00 00 00 00 00 00 fe 28 90 55 fc c6 04 d0
struct HighWaterMark: ~Copyable {
  /// The content of a mark file.
  enum Reading: Equatable {
    /// The file is missing: the journal is new, or was written by a version without marks.
    case absent
    /// The file exists, and neither slot is valid.
    case unreadable
    case found(Slot)
  }

  /// A single mark.
  struct Slot: Equatable {
    var sequence: UInt64
    var position: Int64
  }

  static let slotBytes = 32
  static let slotDistance = 512
  static let sizeBytes = 2 * slotDistance

  private let file: PosixFile
  private var slot: Slot

  static func path(ofJournal path: String) -> String { path + ".mark" }

  /// Reads the mark of the journal at `path`.
  ///
  /// - Throws: `.inputOutput`, `.permissionDenied`.
  static func read(journalPath path: String) throws(JournalError) -> Reading {
    let markPath = Self.path(ofJournal: path)
    guard try PosixFile.sizeBytes(of: markPath) != nil else { return .absent }
    var bytes = [UInt8](repeating: 0, count: sizeBytes)
    _ = try PosixFile(markPath, flags: O_RDONLY).read(into: &bytes, at: 0)
    let slots = [0, slotDistance].compactMap { Slot(decoding: bytes[$0..<$0 + slotBytes]) }
    guard let newest = slots.max(by: { $0.sequence < $1.sequence }) else { return .unreadable }
    return .found(newest)
  }

  /// Opens the file, or creates it anew when it is missing, damaged or of the wrong length, and marks a position
  /// durably in both slots. Earlier marks are overwritten.
  ///
  /// - Throws: `.inputOutput`, `.noSpace`, `.permissionDenied`.
  init(journalPath path: String, position: Int64, after reading: Reading) throws(JournalError) {
    let markPath = Self.path(ofJournal: path)
    var slot = Slot(sequence: 0, position: position)
    if case .found(let last) = reading { slot.sequence = last.sequence &+ 1 }
    let isSound = if case .found = reading { try PosixFile.sizeBytes(of: markPath) == Self.sizeBytes } else { false }
    // A new file is renamed once it is complete, because a partial one would look like a damaged mark. It has its full
    // length from the start, so that later marks need no disk space.
    let newPath = markPath + ".new"
    let file = try PosixFile(isSound ? markPath : newPath, flags: isSound ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC)
    if !isSound { try file.write([UInt8](repeating: 0, count: Self.sizeBytes)[...], at: 0) }
    try slot.write(to: file)
    slot.sequence &+= 1
    try slot.write(to: file)
    try file.synchronize()
    if !isSound {
      try PosixFile.moveIfThere(newPath, to: markPath)
      try PosixFile.synchronizeFolder(of: markPath)
    }
    self.slot = slot
    self.file = file
  }

  /// Marks an acknowledged position, without a sync.
  ///
  /// When it cannot be written, the mark keeps an earlier position, which is safe.
  mutating func note(_ position: Int64) {
    slot = Slot(sequence: slot.sequence &+ 1, position: position)
    try? slot.write(to: file)
  }

  /// Makes the last mark durable.
  ///
  /// - Throws: `.inputOutput`, `.noSpace`.
  func synchronize() throws(JournalError) { try file.synchronize() }
}

extension HighWaterMark.Slot {
  private static let magic = Array("HrthMark".utf8)

  /// The encoded slot.
  var encoded: [UInt8] {
    var bytes = Self.magic
    withUnsafeBytes(of: sequence.littleEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: position.littleEndian) { bytes.append(contentsOf: $0) }
    let hash = XXH64.hash(bytes.span, seed: 0)
    withUnsafeBytes(of: hash.littleEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Writes the slot at the offset that its sequence number determines.
  fileprivate func write(to file: borrowing PosixFile) throws(JournalError) {
    try file.write(encoded[...], at: Int(sequence & 1) * HighWaterMark.slotDistance)
  }

  /// Reads a slot; nil when the bytes are invalid.
  init?(decoding bytes: ArraySlice<UInt8>) {
    guard bytes.count == HighWaterMark.slotBytes else { return nil }
    let bytes = Array(bytes)
    let numbers = [8, 16].map { offset in
      bytes[offset..<offset + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let slot = Self(sequence: numbers[0], position: Int64(bitPattern: numbers[1]))
    guard slot.position >= 0, slot.encoded == bytes else { return nil }
    self = slot
  }
}
