import HearthJournal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The header on the first page of a journal's file, read without SQLite, so that a process that has the journal open
/// is not disturbed.
///
/// The offsets are those of SQLite's file format (https://www.sqlite.org/fileformat.html#the_database_header).
package struct JournalHeader: Sendable {
  /// The version of its tables; nil when the file belongs to another program.
  package let format: Int64?

  /// The format versions that this version of the server reads.
  package static let formats = SQLiteSchema.versions

  private static let sizeBytes = 100
  private static let formatOffset = 60
  private static let applicationOffset = 68

  /// Reads the beginning of the page.
  ///
  /// - Throws: ``JournalError`` when the file is unreadable.
  package init(path: String) throws(JournalError) {
    var bytes = [UInt8](repeating: 0, count: Self.sizeBytes)
    let count = try PosixFile(path, flags: O_RDONLY).read(into: &bytes, at: 0)
    // A new journal's tables are only in its WAL at first.
    if count == 0 {
      format = SQLiteSchema.version
      return
    }
    let isDatabase = count == bytes.count && bytes.starts(with: "SQLite format 3\0".utf8)
    let application = Self.number(bytes, Self.applicationOffset)
    let version = Self.number(bytes, Self.formatOffset)
    let isNew = application == 0 && version == 0
    format =
      isDatabase && (application == SQLiteSchema.applicationID || isNew) ? max(version, SQLiteSchema.version) : nil
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int64 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }
}
