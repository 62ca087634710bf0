import HearthBytes

/// The files of a data folder as one stream, in order of path:
///
/// ```
/// "HrthFile" version:u8 entry* 0
/// entry = 1 mode:u16 length:u16 path size:u64 bytes     a file
///       | 2 mode:u16 length:u16 path                    a folder, before its content
/// ```
///
/// Integers are little-endian, the version is 1. A path is relative to the data folder, UTF-8, its parts separated by
/// `/`; none of them is empty, `.` or `..`. Of a mode only the owner's permissions are used.
enum FileArchive {
  static let start = Array("HrthFile".utf8) + [1]
  static let fileMark: UInt8 = 1
  static let folderMark: UInt8 = 2
  static let endMark: UInt8 = 0

  /// Returns the header before a file's bytes, or of a folder.
  static func head(_ entry: FolderEntry) -> [UInt8] {
    var bytes = [entry.isFolder ? folderMark : fileMark]
    bytes.append(number: entry.mode)
    bytes.append(number: UInt16(clamping: entry.path.utf8.count))
    bytes += Array(entry.path.utf8)
    if !entry.isFolder { bytes.append(number: UInt64(max(0, entry.sizeBytes))) }
    return bytes
  }

  /// Returns true when a path stays within its folder.
  static func isPath(_ path: String) -> Bool {
    guard (1...BackupLimits.pathBytesMax).contains(path.utf8.count), !path.utf8.contains(0) else { return false }
    return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
    }
  }
}

/// A file or folder in a data folder.
struct FolderEntry: Sendable, Equatable {
  var path: String
  var isFolder: Bool
  /// The owner's permissions.
  var mode: UInt16
  var sizeBytes: Int64 = 0
  /// The version of the file: its inode number, and its change times in nanoseconds. Empty for a folder.
  var version: [Int64] = []
}

/// The decoder of an archive, which may arrive in any number of parts.
struct FileArchiveDecoder {
  /// A part of the archive, in order.
  enum Part {
    case folder(path: String, mode: UInt16)
    case file(path: String, mode: UInt16)
    /// Consecutive bytes of the last file.
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: [UInt8] = []
  private var hasBegun = false
  private var fileBytesLeft: UInt64 = 0
  /// True when the end was read.
  private(set) var isAtEnd = false

  /// Decodes the next bytes of the archive.
  ///
  /// - Throws: `.damaged`, `.unsupportedFormat`, or the error of `body`.
  mutating func take(_ piece: [UInt8], _ body: (Part) throws -> Void) throws {
    if rest.isEmpty { rest = piece } else { rest += piece }
    var reader = ByteReader(rest[...])
    var done = 0
    while try step(&reader, body) { done = reader.offset }
    rest = Array(rest[done...])
  }

  /// Reads the next part; false when more bytes are needed.
  private mutating func step(_ reader: inout ByteReader, _ body: (Part) throws -> Void) throws -> Bool {
    guard reader.remaining > 0 else { return false }
    guard !isAtEnd else { throw BackupError(.damaged, "unexpected data after the end of the files") }
    if fileBytesLeft > 0 {
      let count = Int(clamping: min(fileBytesLeft, UInt64(reader.remaining)))
      guard let bytes = try? reader.slice(count) else { return false }
      fileBytesLeft -= UInt64(count)
      try body(.bytes(bytes))
      return true
    }
    guard hasBegun else {
      guard let start = try? reader.slice(FileArchive.start.count) else { return false }
      guard start.dropLast().elementsEqual(FileArchive.start.dropLast()) else {
        throw BackupError(.damaged, "the files do not match their checksum")
      }
      guard start.last == FileArchive.start.last else {
        throw BackupError(.unsupportedFormat, "the files were written by a newer version of Hearth")
      }
      hasBegun = true
      return true
    }
    let mark = try? reader.number(UInt8.self)
    if mark == FileArchive.endMark {
      isAtEnd = true
      return true
    }
    guard mark == FileArchive.fileMark || mark == FileArchive.folderMark else {
      throw BackupError(.damaged, "the files contain an unknown entry")
    }
    guard let mode = try? reader.number(UInt16.self), let length = try? reader.number(UInt16.self),
      let bytes = try? reader.slice(Int(length))
    else { return false }
    guard let path = String(validating: bytes, as: UTF8.self), FileArchive.isPath(path) else {
      throw BackupError(.damaged, "the files contain a path that leads out of the folder")
    }
    if mark == FileArchive.folderMark {
      try body(.folder(path: path, mode: mode))
      return true
    }
    guard let size = try? reader.number(UInt64.self) else { return false }
    fileBytesLeft = size
    try body(.file(path: path, mode: mode))
    return true
  }
}
