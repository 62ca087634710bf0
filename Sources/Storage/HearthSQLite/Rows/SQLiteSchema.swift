import GRDB
import HearthJournal

/// The journal's file format: an SQLite database with these tables.
///
/// - `ownership`: one row. The epoch of the last owner; an append under another epoch is refused.
/// - `batch`: one row for each group commit. `running_hash` is `RunningHash`, as a signed integer of the same bits.
/// - `snapshot`: one row for each snapshot. The current one is the complete row with the highest position; other
///   complete ones are retained for reads of the history, with the batches between them. An incomplete row is a
///   snapshot that is being written or removed, or whose writing or removal was interrupted.
/// - `snapshot_chunk`: the chunks of snapshots. `chunk_hash` is XXH64 of the payload with the chunk's index as the
///   seed.
/// - `checkpoint`: see ``CheckpointRows``. Created with the first checkpoint.
/// - `seam`: see ``SeamRows``. Created with the first batch whose content is rewritten.
/// - `damaged_batch`: rows that were cut off as damaged, kept for an examination.
///
/// When `batch` is empty after pruning, the log ends at the position of the current snapshot or checkpoint.
enum SQLiteSchema {
  /// The application ID in SQLite's header: "Hrth".
  static let applicationID: Int64 = 0x4872_7468

  /// The version of these tables, in SQLite's `user_version`; ``OutboxSchema/version`` when there are tables of an
  /// outbox, ``SeamRows/version`` when there is the table of seams, and ``CheckpointRows/version`` when there is the
  /// table of checkpoints.
  static let version: Int64 = 1

  /// The versions that this program reads.
  static let versions = version...CheckpointRows.version

  static let creation = """
    CREATE TABLE ownership (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      epoch INTEGER NOT NULL
    ) STRICT;
    INSERT INTO ownership VALUES (1, 0);
    CREATE TABLE batch (
      first_position INTEGER PRIMARY KEY,
      last_position INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      running_hash INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE snapshot (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      position INTEGER NOT NULL,
      running_hash INTEGER NOT NULL,
      chunk_count INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      is_complete INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE snapshot_chunk (
      snapshot_id INTEGER NOT NULL,
      chunk_index INTEGER NOT NULL,
      chunk_hash INTEGER NOT NULL,
      payload BLOB NOT NULL,
      UNIQUE (snapshot_id, chunk_index)
    ) STRICT;
    CREATE TABLE damaged_batch (
      first_position INTEGER NOT NULL,
      last_position INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      running_hash INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      payload BLOB NOT NULL
    ) STRICT;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """

  /// Appends only for the owner and only at the end, so that the log itself refuses all other writers.
  static let append = """
    INSERT INTO batch (first_position, last_position, epoch, running_hash, size_bytes, payload)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6
    WHERE (SELECT epoch FROM ownership) = ?3 AND (\(tail)) = ?7
    """

  /// Selects the last position.
  static let tail = """
    SELECT coalesce(
      (SELECT last_position FROM batch ORDER BY first_position DESC LIMIT 1),
      (SELECT position FROM snapshot WHERE is_complete = 1 ORDER BY position DESC, id DESC LIMIT 1),
      0)
    """

  /// Selects complete snapshots and checkpoints, the current one first.
  static let newestSnapshots = """
    SELECT id, position, running_hash, chunk_count, size_bytes
    FROM snapshot WHERE is_complete = 1 ORDER BY position DESC, id DESC
    """

  static let currentSnapshot = newestSnapshots + " LIMIT 1"

  /// Selects complete snapshots and checkpoints, oldest first; of several at one position the last is the newest.
  static let snapshots = """
    SELECT id, position, running_hash, chunk_count, size_bytes
    FROM snapshot WHERE is_complete = 1 ORDER BY position, id
    """

  /// Selects the complete snapshots and checkpoints at a position, the newest last.
  static let snapshotsAt = """
    SELECT id, position, running_hash, chunk_count, size_bytes
    FROM snapshot WHERE is_complete = 1 AND position = ? ORDER BY id
    """

  /// Selects batches that end after a position, in order. The first one is found by its key, however much log precedes
  /// it.
  static let batchesAfter = """
    SELECT \(SQLiteBatchRow.columns) FROM batch
    WHERE first_position >= coalesce((SELECT max(first_position) FROM batch WHERE first_position <= ?1), 0)
      AND last_position > ?1
    ORDER BY first_position
    """

  /// Selects the running hash at the end of a batch or at a snapshot.
  static let runningHash = """
    SELECT running_hash FROM batch WHERE last_position = ?1
      AND first_position = (SELECT max(first_position) FROM batch WHERE first_position <= ?1)
    UNION ALL SELECT running_hash FROM snapshot WHERE is_complete = 1 AND position = ?1 LIMIT 1
    """

  /// Refuses another program's file, and a newer version's.
  ///
  /// - Returns: False for a file without tables.
  static func requireKnown(_ database: Database, path: String) throws -> Bool {
    let place = JournalError.Place(file: path)
    let application = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if application == 0, version == 0, tables == 0 { return false }
    guard application == applicationID else {
      throw JournalError(.notAJournal, "the file is the SQLite database of another program", at: place)
    }
    guard versions.contains(version) else {
      throw JournalError(
        .unsupportedFormat,
        "the file has format \(version); this version of Hearth supports formats \(versions.lowerBound) to "
          + "\(versions.upperBound)", at: place)
    }
    return true
  }

  /// Adds tables to a file, and raises its version to at least this one.
  static func add(_ tables: String, version: Int64, _ database: Database) throws {
    try database.execute(sql: tables)
    let found = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if found < version { try database.execute(sql: "PRAGMA user_version = \(version)") }
  }
}

/// A row of `batch`.
struct SQLiteBatchRow {
  var first: Int64
  var last: Int64
  var epoch: Int64
  var runningHash: RunningHash
  var sizeBytes: Int64
  var payload: [UInt8]

  static let columns = "first_position, last_position, epoch, running_hash, size_bytes, payload"

  /// Reads the stored columns; nil when one has an unexpected type. (A typed read would stop the process on such a
  /// row.)
  init?(_ row: Row) {
    guard row.count == 6, let first = row.integer(0), let last = row.integer(1), let epoch = row.integer(2),
      let hash = row.integer(3), let size = row.integer(4), let payload = row.blob(5)
    else { return nil }
    self.first = first
    self.last = last
    self.epoch = epoch
    self.runningHash = RunningHash(stored: hash)
    self.sizeBytes = size
    self.payload = payload
  }

  var batch: JournalBatch {
    JournalBatch(firstPosition: first, lastPosition: last, payload: payload)
  }

  /// Returns the running hash after it, if its content is unaltered.
  func verified(after hash: RunningHash, path: String) throws(JournalError) -> RunningHash {
    let expected = hash.appending(batch, epoch: epoch)
    guard expected == runningHash else {
      throw JournalError(
        .corrupt, "the batch's running hash is \(expected), but was recorded as \(runningHash)",
        at: JournalError.Place(file: path, position: first))
    }
    return expected
  }
}

extension SnapshotInfo {
  /// Reads a row of `SQLiteSchema.currentSnapshot`; nil when it is malformed.
  init?(_ row: Row) {
    guard row.count == 5, let identifier = row.integer(0), let position = row.integer(1), position >= 0,
      let hash = row.integer(2), let chunks = row.integer(3), chunks >= 0, let size = row.integer(4), size >= 0
    else { return nil }
    self.init(
      identifier: identifier, position: position, runningHash: RunningHash(stored: hash),
      chunkCount: Int(chunks), sizeBytes: Int(size))
  }
}
