/// Statements that write a journal that nobody owns yet. Each may run twice.
enum ArchiveSQL {
  /// Parameters: journal, first and last position, epoch, running hash, size, parts, payload.
  static let addBatch = PostgresSQL(
    """
    INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count, payload)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bytea)
    ON CONFLICT DO NOTHING
    """)

  /// Parameters: journal, first position, number of the part, payload.
  static let addPart = PostgresSQL(
    """
    INSERT INTO batch_part (journal, first_position, part, payload)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bytea) ON CONFLICT DO NOTHING
    """)

  /// The last row of a log whose batches a snapshot stands for. Parameters: journal, position, epoch, running hash.
  static let addTail = PostgresSQL(
    """
    INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count)
    VALUES ($1::bigint, $2::bigint, $2, $3::bigint, $4::bigint, 0, 0) ON CONFLICT DO NOTHING
    """)

  /// Parameters: journal, snapshot, index, hash.
  static let addLink = PostgresSQL(
    """
    INSERT INTO snapshot_chunk (journal, snapshot, chunk_index, hash)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bytea) ON CONFLICT DO NOTHING
    """)

  /// A complete snapshot. Parameters: journal, snapshot, epoch, position, running hash, chunks, bytes.
  static let addSnapshot = PostgresSQL(
    """
    INSERT INTO snapshot (journal, id, epoch, position, running_hash, chunk_count, size_bytes, is_complete)
    VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, true)
    ON CONFLICT DO NOTHING
    """)

  /// Parameters: journal, epoch, the last snapshot.
  static let setEpoch = PostgresSQL(
    "UPDATE journal SET epoch = $2::bigint, last_snapshot = $3::bigint WHERE id = $1::bigint")
}
