/// The statements on the rows of a log.
enum BatchSQL {
  /// Appends after the owner's last batch, only while it is the owner, and only where that batch is the log's last.
  /// Writes one row or none. Writing none is not an error, so that appends to other journals in the same transaction
  /// are not affected.
  ///
  /// Parameters: journal, first and last position, epoch, running hash, size, parts, payload, then the previous batch's
  /// first position and running hash.
  static let append = PostgresSQL(
    prepared: "append",
    """
    INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count, payload)
    SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bytea
    FROM batch p JOIN journal o ON o.id = p.journal
    WHERE p.journal = $1 AND p.first_position = $9::bigint AND p.last_position = $2 - 1 AND p.epoch = $4
      AND p.running_hash = $10::bigint AND o.epoch = $4
    ON CONFLICT DO NOTHING
    """)

  /// Replaces an owner's claim by its first batch.
  ///
  /// Parameters: as for ``append`` up to the payload, then the running hash before.
  static let replaceClaim = PostgresSQL(
    prepared: "fill",
    """
    UPDATE batch b SET last_position = $3::bigint, running_hash = $5::bigint, size_bytes = $6::bigint,
      part_count = $7::bigint, payload = $8::bytea
    FROM journal o
    WHERE b.journal = $1::bigint AND b.first_position = $2::bigint AND b.last_position = $2 - 1 AND b.epoch = $4::bigint
      AND b.running_hash = $9::bigint AND o.id = b.journal AND o.epoch = $4
    """)

  /// Adds a part to a batch, if that exists.
  ///
  /// Parameters: journal, first position, epoch, running hash, number of the part, payload.
  static let addPart = PostgresSQL(
    prepared: "add_part",
    """
    INSERT INTO batch_part (journal, first_position, part, payload)
    SELECT $1::bigint, $2::bigint, $5::bigint, $6::bytea FROM batch b
    WHERE b.journal = $1 AND b.first_position = $2 AND b.epoch = $3::bigint AND b.running_hash = $4::bigint
    ON CONFLICT DO NOTHING
    """)

  static let prepared = [append, replaceClaim, addPart, OutboxSQL.add, OutboxSQL.addDead]

  /// Finds a batch that is complete up to its last part: its row, and that of the journal.
  static let findComplete = PostgresSQL(
    """
    SELECT count(*) FROM batch WHERE journal = $1::bigint AND first_position = $2::bigint AND epoch = $3::bigint
      AND running_hash = $4::bigint AND last_position >= first_position
    """)

  /// Writes without an effect: when this write is replicated, so are all before it.
  static let confirm = PostgresSQL(
    "UPDATE journal SET confirmed_position = $3::bigint WHERE id = $1::bigint AND epoch = $2::bigint")

  // MARK: Owners

  static let raiseEpoch = PostgresSQL(
    """
    UPDATE journal SET epoch = epoch + 1, owner = NULL, owner_incarnation = NULL
    WHERE id = $1::bigint AND epoch < 9223372036854775807 RETURNING epoch
    """)

  /// Reads the end of the log and the owner's epoch. No row for a log that never had an owner.
  static let tail = PostgresSQL(
    """
    SELECT b.first_position, b.last_position, b.epoch, b.running_hash, o.epoch
    FROM journal o JOIN batch b ON b.journal = o.id WHERE o.id = $1::bigint ORDER BY b.first_position DESC LIMIT 1
    """)

  static let epoch = PostgresSQL("SELECT epoch FROM journal WHERE id = $1::bigint")

  /// Marks the end of the log for a new owner. Parameters: journal, first position, epoch, running hash before.
  static let claim = PostgresSQL(
    """
    INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count)
    SELECT $1::bigint, $2::bigint, $2 - 1, $3::bigint, $4::bigint, 0, 0 FROM journal WHERE id = $1 AND epoch = $3
    ON CONFLICT DO NOTHING
    """)

  /// Takes over the claim of a previous owner. Parameters: journal, first position, epoch.
  static let takeClaim = PostgresSQL(
    """
    UPDATE batch b SET epoch = $3::bigint FROM journal o
    WHERE b.journal = $1::bigint AND b.first_position = $2::bigint AND b.last_position = $2 - 1 AND b.epoch <= $3
      AND o.id = b.journal AND o.epoch = $3
    """)

  // MARK: Reading

  static let columns = """
    first_position, last_position, epoch, running_hash, content_hash, size_bytes, part_count, payload
    """

  /// Reads batches that end after a position, in order, up to a number of bytes and at least one. The first is found by
  /// its key, however much log precedes it. Parameters: journal, position, bytes.
  static let after = PostgresSQL(
    """
    SELECT \(columns) FROM (
      SELECT *, sum(size_bytes) OVER w AS total, row_number() OVER w AS number FROM (
        SELECT * FROM batch WHERE journal = $1::bigint AND payload IS NOT NULL AND last_position > $2::bigint
          AND first_position >= coalesce((SELECT max(first_position) FROM batch
            WHERE journal = $1 AND first_position <= $2), 0)
        ORDER BY first_position LIMIT \(PostgresLimits.readRows)) rows
      WINDOW w AS (ORDER BY first_position)) counted
    WHERE number = 1 OR total <= $3::bigint ORDER BY first_position
    """)

  static let part = PostgresSQL(
    "SELECT payload FROM batch_part WHERE journal = $1::bigint AND first_position = $2::bigint AND part = $3::bigint")

  /// Reads the running hash at the end of a batch or at a snapshot.
  static let runningHash = PostgresSQL(
    """
    SELECT running_hash FROM batch WHERE journal = $1::bigint AND last_position = $2::bigint AND payload IS NOT NULL
      AND first_position = (SELECT max(first_position) FROM batch WHERE journal = $1 AND first_position <= $2)
    UNION ALL
    SELECT running_hash FROM snapshot WHERE journal = $1 AND is_complete AND position = $2 LIMIT 1
    """)

  static let oldest = PostgresSQL(
    """
    SELECT (SELECT first_position FROM batch WHERE journal = $1::bigint AND payload IS NOT NULL
        ORDER BY first_position LIMIT 1),
      (SELECT min(position) FROM snapshot WHERE journal = $1 AND is_complete)
    """)

  static let logBytes = PostgresSQL(
    """
    SELECT coalesce(sum(size_bytes), 0)::bigint, count(*) FROM batch
    WHERE journal = $1::bigint AND first_position > $2::bigint AND first_position <= $3::bigint AND last_position <= $3
      AND payload IS NOT NULL
    """)

  // MARK: Removing

  /// Removes some of the batches that end at or before a position, the oldest first, and never the last of them, which
  /// the next row refers to. Returns the number. Parameters: journal, position.
  static let prune = PostgresSQL(
    """
    WITH old AS (
        SELECT first_position FROM batch WHERE journal = $1::bigint AND first_position <= $2::bigint
          AND last_position <= $2
          AND first_position < (SELECT max(first_position) FROM batch
            WHERE journal = $1 AND first_position <= $2 AND last_position <= $2)
        ORDER BY first_position LIMIT \(PostgresLimits.pruneStepRows)),
      parts AS (DELETE FROM batch_part
        WHERE journal = $1 AND first_position IN (SELECT first_position FROM old)),
      rows AS (DELETE FROM batch WHERE journal = $1 AND first_position IN (SELECT first_position FROM old))
    SELECT count(*) FROM old
    """)

  /// Removes the content of the last row that ends at or before a position.
  static let emptyTail = PostgresSQL(
    """
    WITH tail AS (
        UPDATE batch SET payload = NULL, size_bytes = 0, part_count = 0
        WHERE journal = $1::bigint AND last_position <= $2::bigint AND payload IS NOT NULL
          AND first_position = (SELECT max(first_position) FROM batch
            WHERE journal = $1 AND first_position <= $2 AND last_position <= $2)
        RETURNING first_position)
    DELETE FROM batch_part WHERE journal = $1 AND first_position IN (SELECT first_position FROM tail)
    """)

  // MARK: Rewriting

  /// Replaces a batch's content. Parameters: journal, first position, running hash, content's hash, size, parts,
  /// payload.
  static let rewrite = PostgresSQL(
    """
    UPDATE batch SET content_hash = $4::bigint, size_bytes = $5::bigint, part_count = $6::bigint, payload = $7::bytea
    WHERE journal = $1::bigint AND first_position = $2::bigint AND running_hash = $3::bigint AND payload IS NOT NULL
    """)

  static let removeParts = PostgresSQL(
    "DELETE FROM batch_part WHERE journal = $1::bigint AND first_position = $2::bigint")
}
