/// The statements on snapshots and their chunks.
enum SnapshotSQL {
  /// Locks a journal's snapshots until the transaction ends, because one transaction could otherwise remove a chunk
  /// that another one is about to share. Appends do not wait for this lock.
  static let lock = PostgresSQL("SELECT epoch FROM journal WHERE id = $1::bigint FOR NO KEY UPDATE")

  static let unfinished = PostgresSQL("SELECT id FROM snapshot WHERE journal = $1::bigint AND NOT is_complete")

  /// Begins a snapshot. Parameters: journal, position, running hash, the owner's epoch or 0 for any.
  static let begin = PostgresSQL(
    """
    WITH next AS (
      UPDATE journal SET last_snapshot = last_snapshot + 1 WHERE id = $1::bigint AND ($4::bigint = 0 OR epoch = $4)
      RETURNING last_snapshot, epoch)
    INSERT INTO snapshot (journal, id, epoch, position, running_hash, chunk_count, size_bytes, is_complete)
    SELECT $1, last_snapshot, epoch, $2::bigint, $3::bigint, 0, 0, false FROM next
    RETURNING id
    """)

  /// Finds a stored chunk. Parameters: journal, hash.
  static let hasChunk = PostgresSQL("SELECT count(*) FROM chunk WHERE journal = $1::bigint AND hash = $2::bytea")

  /// Stores the content of a chunk. Parameters: journal, hash, payload.
  static let addChunk = PostgresSQL(
    "INSERT INTO chunk (journal, hash, payload) VALUES ($1::bigint, $2::bytea, $3::bytea) ON CONFLICT DO NOTHING")

  /// Adds a stored chunk to a snapshot that the current owner writes. Parameters: journal, snapshot, index, hash.
  static let link = PostgresSQL(
    """
    INSERT INTO snapshot_chunk (journal, snapshot, chunk_index, hash)
    SELECT $1::bigint, $2::bigint, $3::bigint, c.hash
    FROM snapshot s JOIN journal o ON o.id = s.journal JOIN chunk c ON c.journal = s.journal
    WHERE s.journal = $1 AND s.id = $2 AND NOT s.is_complete AND s.epoch = o.epoch AND c.hash = $4::bytea
    """)

  /// Completes a snapshot. Parameters: journal, snapshot, chunks, bytes.
  static let complete = PostgresSQL(
    """
    UPDATE snapshot s SET is_complete = true, chunk_count = $3::bigint, size_bytes = $4::bigint FROM journal o
    WHERE s.journal = $1::bigint AND s.id = $2::bigint AND NOT s.is_complete AND o.id = s.journal AND o.epoch = s.epoch
      AND (SELECT count(*) FROM snapshot_chunk WHERE journal = $1 AND snapshot = $2) = $3
    """)

  /// Reads the complete snapshots, oldest first; of several at one position the last is the newest.
  static let all = PostgresSQL(
    """
    SELECT id, position, running_hash, chunk_count, size_bytes FROM snapshot
    WHERE journal = $1::bigint AND is_complete ORDER BY position, id
    """)

  /// Reads a chunk. Parameters: journal, snapshot, index.
  static let chunk = PostgresSQL(
    """
    SELECT k.hash, c.payload FROM snapshot_chunk k
    JOIN snapshot s ON s.journal = k.journal AND s.id = k.snapshot AND s.is_complete
    LEFT JOIN chunk c ON c.journal = k.journal AND c.hash = k.hash
    WHERE k.journal = $1::bigint AND k.snapshot = $2::bigint AND k.chunk_index = $3::bigint
    """)

  static let isComplete = PostgresSQL(
    "SELECT count(*) FROM snapshot WHERE journal = $1::bigint AND id = $2::bigint AND is_complete")

  // MARK: Removing

  /// Marks a snapshot as incomplete: readers ignore it from now on, and a later step removes it whatever happens.
  static let undo = PostgresSQL(
    "UPDATE snapshot SET is_complete = false WHERE journal = $1::bigint AND id = $2::bigint AND is_complete")

  /// Removes some chunks of a snapshot, and their content when no other one shares it. Returns the number. Parameters:
  /// journal, snapshot, count.
  static let removeChunks = PostgresSQL(
    """
    WITH old AS (
        SELECT chunk_index, hash FROM snapshot_chunk WHERE journal = $1::bigint AND snapshot = $2::bigint
        ORDER BY chunk_index LIMIT $3::bigint),
      links AS (DELETE FROM snapshot_chunk
        WHERE journal = $1 AND snapshot = $2 AND chunk_index IN (SELECT chunk_index FROM old)),
      chunks AS (DELETE FROM chunk c WHERE c.journal = $1 AND c.hash IN (SELECT hash FROM old)
        AND NOT EXISTS (SELECT FROM snapshot_chunk k WHERE k.journal = $1 AND k.hash = c.hash
          AND NOT (k.snapshot = $2 AND k.chunk_index IN (SELECT chunk_index FROM old))))
    SELECT count(*) FROM old
    """)

  static let remove = PostgresSQL(
    "DELETE FROM snapshot WHERE journal = $1::bigint AND id = $2::bigint AND NOT is_complete")
}
