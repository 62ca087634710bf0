import GRDB
import HearthJournal

/// The checkpoints of a journal, within a transaction.
///
/// A checkpoint is a complete row of `snapshot` without chunks, whose payload is in the table `checkpoint`. So every
/// version finds the end of a log whose batches were pruned, and an older one refuses the format instead of reporting
/// lost commits.
///
/// The table is created with the first checkpoint.
struct CheckpointRows {
  /// The version of a file with this table, in SQLite's `user_version`: an older program would read the row of
  /// `snapshot` as an empty state.
  static let version: Int64 = 4

  private static let creation = """
    CREATE TABLE checkpoint (
      snapshot_id INTEGER PRIMARY KEY,
      checksum INTEGER NOT NULL,
      payload BLOB NOT NULL
    ) STRICT
    """

  private let database: Database
  private let path: String
  private let isThere: Bool

  init(_ database: Database, path: String) throws {
    (self.database, self.path) = (database, path)
    isThere = try database.tableExists("checkpoint")
  }

  /// Adds a checkpoint, and creates the table before the first one.
  static func add(_ checkpoint: Checkpoint, _ database: Database) throws {
    if try !database.tableExists("checkpoint") { try SQLiteSchema.add(creation, version: version, database) }
    try database.execute(
      sql: """
        INSERT INTO snapshot (position, running_hash, chunk_count, size_bytes, is_complete) VALUES (?, ?, 0, ?, 1)
        """, arguments: [checkpoint.position, checkpoint.runningHash.stored, checkpoint.payload.count])
    try database.execute(
      sql: "INSERT INTO checkpoint (snapshot_id, checksum, payload) VALUES (?, ?, ?)",
      arguments: [database.lastInsertedRowID, checkpoint.checksum.stored, DatabaseValue.blob(checkpoint.payload)])
  }

  /// Replaces the content of the checkpoint that a row of `snapshot` describes.
  static func replace(_ identifier: Int64, with checkpoint: Checkpoint, _ database: Database) throws {
    try database.execute(
      sql: "UPDATE snapshot SET size_bytes = ? WHERE id = ?", arguments: [checkpoint.payload.count, identifier])
    try database.execute(
      sql: "UPDATE checkpoint SET checksum = ?, payload = ? WHERE snapshot_id = ?",
      arguments: [checkpoint.checksum.stored, DatabaseValue.blob(checkpoint.payload), identifier])
  }

  /// Returns the checkpoint that a row of `snapshot` describes, compared with its checksum.
  ///
  /// - Throws: `.corrupt`.
  func checkpoint(_ info: SnapshotInfo) throws -> Checkpoint {
    let row =
      isThere
      ? try Row.fetchOne(
        database, sql: "SELECT checksum, payload FROM checkpoint WHERE snapshot_id = ?", arguments: [info.identifier])
      : nil
    if let row, let checksum = row.integer(0), let payload = row.blob(1), payload.count == info.sizeBytes {
      let found = Checkpoint(position: info.position, runningHash: info.runningHash, payload: payload)
      if found.checksum.stored == checksum { return found }
    }
    throw JournalError(
      .corrupt, "the checkpoint at position \(info.position) does not match its checksum",
      at: JournalError.Place(file: path, position: info.position))
  }

  /// Removes the payload of a row of `snapshot`, if it has one.
  func remove(_ identifier: Int64) throws {
    guard isThere else { return }
    try database.execute(sql: "DELETE FROM checkpoint WHERE snapshot_id = ?", arguments: [identifier])
  }
}

extension SnapshotInfo {
  /// True for a row of `snapshot` that describes a checkpoint.
  var isCheckpoint: Bool { chunkCount == 0 && sizeBytes > 0 }
}
