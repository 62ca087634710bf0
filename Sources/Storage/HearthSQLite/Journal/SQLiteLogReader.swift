import GRDB
import HearthJournal

/// The reader of a log's batches and sizes.
struct SQLiteLogReader {
  let file: JournalFile

  func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try file.reading("reading batches") { database in
      try BatchRows(database: database, path: file.path).batches(
        after: position, sizeBytesMax: sizeBytesMax, snapshotPosition: file.recovery.snapshotPosition)
    }
  }

  func oldestPosition() throws(JournalError) -> Int64 {
    try file.reading("looking for the oldest position") {
      try BatchRows(database: $0, path: file.path).oldestPosition()
    }
  }

  func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try file.reading("measuring the log") {
      try BatchRows(database: $0, path: file.path).sizeBytes(after: position, through: last)
    }
  }

  /// Returns the free bytes within the file.
  func reusableBytes() throws(JournalError) -> Int {
    try file.reading("counting free pages") { database in
      let count = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      let (bytes, overflows) = try (Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
        .multipliedReportingOverflow(by: count)
      return overflows ? 0 : bytes
    }
  }
}
