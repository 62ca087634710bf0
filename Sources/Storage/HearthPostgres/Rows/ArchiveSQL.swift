/// The statements that restore a journal, which has no owner. Each may run twice.
enum ArchiveSQL {
  /// Adds a batch. Parameters: journal, first and last position, epoch, running hash, size, parts, payload.
  static let addBatch = PostgresSQL(
    """
    INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count, payload)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bytea)
    ON CONFLICT DO NOTHING
    """)

  /// Adds a part of a batch. Parameters: journal, first position, number of the part, payload.
  static let addPart = PostgresSQL(
    """
    INSERT INTO batch_part (journal, first_position, part, payload)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bytea) ON CONFLICT DO NOTHING
    """)

  /// Adds the last row of a log whose batches a snapshot replaces. Parameters: journal, position, epoch, running hash.
  static let addTail = PostgresSQL(
    """
    INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count)
    VALUES ($1::bigint, $2::bigint, $2, $3::bigint, $4::bigint, 0, 0) ON CONFLICT DO NOTHING
    """)

  /// Adds a chunk to a snapshot. Parameters: journal, snapshot, index, hash.
  static let addLink = PostgresSQL(
    """
    INSERT INTO snapshot_chunk (journal, snapshot, chunk_index, hash)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bytea) ON CONFLICT DO NOTHING
    """)

  /// Adds a complete snapshot. Parameters: journal, snapshot, epoch, position, running hash, chunks, bytes.
  static let addSnapshot = PostgresSQL(
    """
    INSERT INTO snapshot (journal, id, epoch, position, running_hash, chunk_count, size_bytes, is_complete)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, true)
    ON CONFLICT DO NOTHING
    """)

  /// Adds a waiting entry. Parameters: journal, queue, position, ordinal, lane, time, attempts, due time, content.
  static let addEntry = PostgresSQL(
    """
    INSERT INTO outbox (journal, queue, position, ordinal, lane, milliseconds, attempt_count, due_milliseconds, content)
    VALUES ($1::bigint, $2::bytea, $3::bigint, $4::bigint, $5::bytea, $6::bigint, $7::bigint, $8::bigint, $9::bytea)
    ON CONFLICT DO NOTHING
    """)

  /// Adds a dead letter. Parameters: as for ``addEntry``, with its time instead of the due time, and the reason.
  static let addDeadEntry = PostgresSQL(
    """
    INSERT INTO dead_letter
      (journal, queue, position, ordinal, lane, milliseconds, attempt_count, dead_milliseconds, content, reason)
    VALUES ($1::bigint, $2::bytea, $3::bigint, $4::bigint, $5::bytea, $6::bigint, $7::bigint, $8::bigint, $9::bytea,
      $10::bytea)
    ON CONFLICT DO NOTHING
    """)

  /// Reads waiting entries, up to the limit of a read and at least one. Parameters: journal, then the previous entry's
  /// queue and place; bytes.
  static let entriesAfter = PostgresSQL(entries(of: "outbox", end: "due_milliseconds", reason: "NULL::bytea"))

  /// Reads dead letters, with the parameters of ``entriesAfter``.
  static let deadEntriesAfter = PostgresSQL(entries(of: "dead_letter", end: "dead_milliseconds", reason: "reason"))

  private static func entries(of table: String, end: String, reason: String) -> String {
    """
    SELECT position, ordinal, milliseconds, attempt_count, \(end), queue, lane, content, \(reason) FROM (
      SELECT *, sum(octet_length(content)) OVER w AS total, row_number() OVER w AS number FROM (
        SELECT * FROM \(table)
        WHERE journal = $1::bigint AND (queue, position, ordinal) > ($2::bytea, $3::bigint, $4::bigint)
        ORDER BY queue, position, ordinal LIMIT \(PostgresLimits.readRows)) rows
      WINDOW w AS (ORDER BY queue, position, ordinal)) counted
    WHERE number = 1 OR total <= $5::bigint ORDER BY queue, position, ordinal
    """
  }

  /// Sets the epoch. Parameters: journal, epoch, the last snapshot.
  static let setEpoch = PostgresSQL(
    "UPDATE journal SET epoch = $2::bigint, last_snapshot = $3::bigint WHERE id = $1::bigint")
}
