import GRDB
import HearthBytes
import HearthJournal

/// The snapshots with their chunks, within a transaction.
struct SnapshotRows {
  let database: Database
  let path: String

  /// Returns a chunk of a completed snapshot, compared with its stored hash.
  ///
  /// - Throws: `.corrupt`; `.snapshotAbandoned` when the snapshot was removed.
  func chunk(_ index: Int, of snapshot: SnapshotInfo) throws -> [UInt8] {
    let row = try Row.fetchOne(
      database, sql: "SELECT chunk_hash, payload FROM snapshot_chunk WHERE snapshot_id = ? AND chunk_index = ?",
      arguments: [snapshot.identifier, index])
    guard let row else {
      let isThere = try Bool.fetchOne(
        database, sql: "SELECT count(*) > 0 FROM snapshot WHERE id = ? AND is_complete = 1",
        arguments: [snapshot.identifier])
      guard isThere == true else { throw JournalError.abandoned(snapshot.position, file: path) }
      throw JournalError.damagedSnapshot("chunk \(index) is missing", path: path, position: snapshot.position)
    }
    guard let hash = row.integer(0), let payload = row.blob(1), Self.hash(payload, index) == hash else {
      throw JournalError.damagedSnapshot(
        "chunk \(index) does not match its checksum", path: path, position: snapshot.position)
    }
    return payload
  }

  /// Adds a chunk to a snapshot.
  func add(_ chunk: [UInt8], _ index: Int, to identifier: Int64) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO snapshot_chunk (snapshot_id, chunk_index, chunk_hash, payload) VALUES (?, ?, ?, ?)")
    try statement.execute(arguments: [identifier, index, Self.hash(chunk, index), DatabaseValue.blob(chunk)])
  }

  /// Returns the snapshot or checkpoint that a start loads; nil when there is none.
  func current() throws -> SnapshotInfo? {
    try Row.fetchOne(database, sql: SQLiteSchema.currentSnapshot).map(snapshot)
  }

  /// Returns the row of `snapshot` that describes the checkpoint at a position; nil when there is none.
  func checkpoint(at position: Int64) throws -> SnapshotInfo? {
    let found = try Row.fetchAll(database, sql: SQLiteSchema.snapshotsAt, arguments: [position]).map(snapshot)
    return found.last(where: \.isCheckpoint)
  }

  /// Reads a row of `snapshot`.
  func snapshot(_ row: Row) throws(JournalError) -> SnapshotInfo {
    guard let snapshot = SnapshotInfo(row) else {
      throw JournalError.damagedSnapshot("its description cannot be read", path: path, position: row.integer(1))
    }
    return snapshot
  }

  /// Verifies a checkpoint, or that all chunks of a snapshot exist. Their content is verified when it is read.
  func verify(_ snapshot: SnapshotInfo) throws {
    if snapshot.isCheckpoint {
      _ = try CheckpointRows(database, path: path).checkpoint(snapshot)
      return
    }
    let chunks = try Row.fetchOne(
      database,
      sql: "SELECT count(*), coalesce(sum(length(payload)), 0) FROM snapshot_chunk WHERE snapshot_id = ?",
      arguments: [snapshot.identifier])
    guard chunks?.integer(0) == Int64(snapshot.chunkCount), chunks?.integer(1) == Int64(snapshot.sizeBytes) else {
      throw JournalError.damagedSnapshot("chunks are missing", path: path, position: snapshot.position)
    }
  }

  /// Deletes a part of a snapshot, or a whole checkpoint, which counts as unfinished from then on.
  ///
  /// - Returns: True when more of it is left.
  func removeStep(_ identifier: Int64) throws -> Bool {
    let stepChunks = max(1, SQLiteLimits.pruneStepBytes / JournalLimits.snapshotChunkBytes)
    try database.execute(
      sql: "UPDATE snapshot SET is_complete = 0 WHERE id = ? AND is_complete = 1", arguments: [identifier])
    try database.execute(
      sql: """
        DELETE FROM snapshot_chunk WHERE rowid IN
          (SELECT rowid FROM snapshot_chunk WHERE snapshot_id = ? LIMIT \(stepChunks))
        """, arguments: [identifier])
    if database.changesCount == stepChunks { return true }
    try CheckpointRows(database, path: path).remove(identifier)
    try database.execute(sql: "DELETE FROM snapshot WHERE id = ?", arguments: [identifier])
    return false
  }

  /// Returns the value of `chunk_hash`.
  private static func hash(_ chunk: [UInt8], _ index: Int) -> Int64 {
    Int64(bitPattern: XXH64.hash(chunk.span, seed: UInt64(bitPattern: Int64(index))))
  }
}
