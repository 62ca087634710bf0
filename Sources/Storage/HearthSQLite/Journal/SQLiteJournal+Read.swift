import GRDB
import HearthJournal
import HearthRows

extension SQLiteJournal {
  public func batches(after position: Int64, sizeBytesMax: Int) throws(JournalError) -> [JournalBatch] {
    try reading("reading batches") { database in
      try BatchRows(database: database, path: path).batches(
        after: position, sizeBytesMax: sizeBytesMax, snapshotPosition: recovery.snapshotPosition)
    }
  }

  public func currentSnapshot() throws(JournalError) -> SnapshotInfo? {
    try reading("looking for a snapshot") { database in
      guard let row = try Row.fetchOne(database, sql: SQLiteSchema.currentSnapshot) else { return nil }
      guard let snapshot = SnapshotInfo(row) else {
        throw JournalError.damagedSnapshot("its description cannot be read", path: path, position: nil)
      }
      return snapshot
    }
  }

  public func snapshots() throws(JournalError) -> [SnapshotInfo] {
    try reading("looking for snapshots") { database in
      try Row.fetchAll(database, sql: SQLiteSchema.snapshots).map { row in
        guard let snapshot = SnapshotInfo(row) else {
          throw JournalError.damagedSnapshot("its description cannot be read", path: path, position: row.integer(1))
        }
        return snapshot
      }
    }
  }

  public func oldestPosition() throws(JournalError) -> Int64 {
    try reading("looking for the oldest position") { try BatchRows(database: $0, path: path).oldestPosition() }
  }

  public func logBytes(after position: Int64, through last: Int64) throws(JournalError) -> Int {
    try reading("measuring the log") {
      try BatchRows(database: $0, path: path).sizeBytes(after: position, through: last)
    }
  }

  public func snapshotChunk(_ index: Int, of snapshot: SnapshotInfo) throws(JournalError) -> [UInt8] {
    try reading("reading a snapshot") { try SnapshotRows(database: $0, path: path).chunk(index, of: snapshot) }
  }
}
