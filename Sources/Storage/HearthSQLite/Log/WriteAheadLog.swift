import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The content of a write-ahead log as SQLite will read it, determined before SQLite opens it.
///
/// SQLite reads the log up to the last commit whose checksums match, and silently drops the rest. That is right for a
/// transaction that a power failure interrupted, and wrong for a log that was damaged in the middle, where acknowledged
/// commits would be lost. The two cases can be distinguished, because every commit is synced before the next one is
/// written: after the first invalid frame there can be at most one unfinished commit.
///
/// The file (all integers big-endian): a header of 32 bytes
///
///     0  magic 0x377f0682, or …83 when checksums read words big-endian
///     4  format 3007000    8  page size    12  generation
///     16 salt (8 bytes)    24 checksum of the bytes before it (8 bytes)
///
/// then frames of 24 bytes and a page
///
///     0  page number       4  database size in pages in the last frame of a commit, else 0
///     8  salt (8 bytes)    16 checksum of bytes 0–7 and the page, continuing that of the frame before
///
/// A frame whose salt is not the header's belongs to an earlier generation and ends the log.
struct WriteAheadLog: Equatable {
  /// The size of the file.
  var sizeBytes = 0

  /// The offset of the end of the last valid commit.
  var validBytes = 0

  /// The number of valid commits.
  var commitCount = 0

  /// The offset of this generation's first unreadable frame; nil when the log ends cleanly.
  var breakOffset: Int?

  /// The number of frames of this generation after the break that end a commit.
  var commitsAfterBreak = 0

  /// True when acknowledged commits are after the break.
  var lostAcknowledgedCommits: Bool { commitsAfterBreak > 1 }

  static let headerBytes = 32
  static let frameHeaderBytes = 24

  /// Reads the log of the database at `path`; an absent or empty one is clean.
  init(databasePath path: String) throws(JournalError) {
    let logPath = path + "-wal"
    guard let size = try PosixFile.sizeBytes(of: logPath), size > 0 else { return }
    sizeBytes = size
    try scan(PosixFile(logPath, flags: O_RDONLY), databasePageBytes: Self.pageBytes(ofDatabase: path))
  }

  /// Returns the page size in a database file's header: two bytes at 16, where 1 means 65,536.
  private static func pageBytes(ofDatabase path: String) throws(JournalError) -> Int {
    var start = [UInt8](repeating: 0, count: 18)
    _ = try PosixFile(path, flags: O_RDONLY).read(into: &start, at: 0)
    let stored = Int(start[16]) << 8 | Int(start[17])
    return stored == 1 ? 65_536 : stored
  }

  private mutating func scan(_ file: borrowing PosixFile, databasePageBytes: Int) throws(JournalError) {
    var header = [UInt8](repeating: 0, count: Self.headerBytes)
    let count = try file.read(into: &header, at: 0)
    var reader = FrameReader(header: count == Self.headerBytes ? header : [], databasePageBytes: databasePageBytes)
    if reader.isHeaderValid {
      validBytes = Self.headerBytes
    } else {
      breakOffset = 0
    }
    // Without a valid page size the frames cannot be found.
    guard let pageBytes = reader.pageBytes else { return }
    var frame = [UInt8](repeating: 0, count: Self.frameHeaderBytes + pageBytes)
    var offset = Self.headerBytes
    while offset + frame.count <= sizeBytes {
      _ = try file.read(into: &frame, at: offset)
      guard note(reader.next(frame), at: offset, sizeBytes: frame.count) else { return }
      offset += frame.count
    }
    if offset < sizeBytes, breakOffset == nil, try isOfThisGeneration(file, at: offset, reader) { breakOffset = offset }
  }

  /// Records a frame.
  ///
  /// - Returns: False when this generation's frames end before this frame.
  private mutating func note(_ frame: FrameReader.Frame, at offset: Int, sizeBytes: Int) -> Bool {
    switch frame {
    case .foreign:
      // After a break, further frames of the same generation may follow frames of an earlier one.
      return breakOffset != nil
    case .broken(let endsCommit):
      if breakOffset == nil { breakOffset = offset }
      if endsCommit { commitsAfterBreak += 1 }
    case .valid(let endsCommit):
      if endsCommit {
        validBytes = offset + sizeBytes
        commitCount += 1
      }
    }
    return true
  }

  /// Returns true when the incomplete frame at the end of the file has this generation's salt.
  private func isOfThisGeneration(_ file: borrowing PosixFile, at offset: Int, _ reader: FrameReader)
    throws(JournalError) -> Bool
  {
    var start = [UInt8](repeating: 0, count: Self.frameHeaderBytes)
    let count = try file.read(into: &start, at: offset)
    return count < 16 || reader.hasSalt(start)
  }
}

extension WriteAheadLog {
  /// Rewrites SQLite's log with the bytes read from it, and makes it durable, before anything is moved from it.
  ///
  /// After a failed sync, in this process or an earlier one, the system's cache may have pages that were never written
  /// to the disk, and that no later sync writes. If a power failure interrupted their move into the database file, a
  /// part of a commit would be in the file, and the log would be lost.
  ///
  /// - Returns: False when there was no disk space to write it.
  @discardableResult
  static func writeBack(databasePath path: String) throws(JournalError) -> Bool {
    guard let sizeBytes = try PosixFile.sizeBytes(of: path + "-wal"), sizeBytes > 0 else { return true }
    let log = try PosixFile(path + "-wal", flags: O_RDWR)
    var buffer = [UInt8](repeating: 0, count: min(sizeBytes, 1 << 20))
    var offset = 0
    do throws(JournalError) {
      while offset < sizeBytes {
        let count = try log.read(into: &buffer, at: offset)
        if count == 0 { break }
        try log.write(buffer[..<count], at: offset)
        offset += count
      }
      try log.synchronize()
      return true
    } catch  where error.code == .noSpace {
      // A full copy-on-write file system cannot even overwrite a file. Reads still work.
      return false
    }
  }

  /// Creates a copy of SQLite's log before it is truncated.
  static func setAside(databasePath path: String) throws(JournalError) -> String {
    try PosixFile.copy(path + "-wal", to: path + "-wal.damaged")
    return "a copy is kept as \(path)-wal.damaged"
  }
}
