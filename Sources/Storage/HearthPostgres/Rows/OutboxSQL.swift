/// The statements on waiting entries and dead letters.
enum OutboxSQL {
  /// Adds a waiting entry, only in the transaction that writes its batch. When the append is sent again, after the
  /// batch was written and the entry was delivered, the entry must not be added again.
  ///
  /// Parameters: journal, the batch's first position, epoch and running hash, then the entry: queue, position, ordinal,
  /// lane, time, content.
  static let add = PostgresSQL(
    prepared: "add_entry",
    """
    INSERT INTO outbox (journal, queue, position, ordinal, lane, milliseconds, attempt_count, due_milliseconds, content)
    SELECT $1::bigint, $5::bytea, $6::bigint, $7::bigint, $8::bytea, $9::bigint, 0, 0, $10::bytea FROM \(batchOfTransaction)
    """)

  /// Adds a dead letter, as ``add`` does. Parameters: as there, and the reason.
  static let addDead = PostgresSQL(
    prepared: "add_dead_entry",
    """
    INSERT INTO dead_letter
      (journal, queue, position, ordinal, lane, milliseconds, attempt_count, dead_milliseconds, content, reason)
    SELECT $1::bigint, $5::bytea, $6::bigint, $7::bigint, $8::bytea, $9::bigint, 0, $9, $10::bytea, $11::bytea
    FROM \(batchOfTransaction)
    """)

  private static let batchOfTransaction = """
    batch b WHERE b.journal = $1 AND b.first_position = $2::bigint AND b.epoch = $3::bigint
      AND b.running_hash = $4::bigint AND b.xmin = pg_current_xact_id()::xid
    """

  // MARK: Reading

  static let queues = PostgresSQL(
    """
    SELECT queue FROM outbox WHERE journal = $1::bigint
    UNION SELECT queue FROM dead_letter WHERE journal = $1
    """)

  /// Reads waiting entries. Parameters: journal, queue, the place before, count.
  static let waiting = PostgresSQL(
    """
    SELECT position, ordinal, milliseconds, attempt_count, due_milliseconds, lane, octet_length(content)::bigint
    FROM outbox
    WHERE journal = $1::bigint AND queue = $2::bytea AND (position, ordinal) > ($3::bigint, $4::bigint)
    ORDER BY position, ordinal LIMIT $5::bigint
    """)

  /// Reads the content of an entry. Parameters: journal, queue, place.
  static let content = PostgresSQL("SELECT content FROM outbox WHERE \(key)")

  /// Reads the figures of a queue. Parameters: journal, queue.
  static let figures = PostgresSQL(
    """
    SELECT w.*, d.* FROM
      (SELECT count(*), coalesce(sum(octet_length(content)), 0)::bigint, min(milliseconds) FROM outbox
        WHERE journal = $1::bigint AND queue = $2::bytea) w,
      (SELECT count(*), coalesce(sum(octet_length(content)), 0)::bigint FROM dead_letter
        WHERE journal = $1 AND queue = $2) d
    """)

  /// Reads dead letters. Parameters: journal, queue, the place before, count.
  static let dead = PostgresSQL(
    """
    SELECT position, ordinal, milliseconds, attempt_count, dead_milliseconds, lane, reason FROM dead_letter
    WHERE journal = $1::bigint AND queue = $2::bytea AND (position, ordinal) > ($3::bigint, $4::bigint)
    ORDER BY position, ordinal LIMIT $5::bigint
    """)

  /// Reads one dead letter. Parameters: journal, queue, place.
  static let oneDead = PostgresSQL(
    """
    SELECT position, ordinal, milliseconds, attempt_count, dead_milliseconds, lane, reason, content FROM dead_letter
    WHERE \(key)
    """)

  // MARK: Settling

  private static let key = """
    journal = $1::bigint AND queue = $2::bytea AND position = $3::bigint AND ordinal = $4::bigint
    """

  /// Removes an entry. Parameters: journal, queue, place.
  static let remove = PostgresSQL("DELETE FROM outbox WHERE \(key)")

  /// Postpones an entry. Parameters: journal, queue, place, attempts, due time.
  static let postpone = PostgresSQL(
    "UPDATE outbox SET attempt_count = $5::bigint, due_milliseconds = $6::bigint WHERE \(key)")

  /// Turns an entry into a dead letter. Parameters: journal, queue, place, time, reason.
  static let bury = PostgresSQL(burying(where: key, time: "$5", reason: "$6"))

  /// Turns all entries into dead letters. Parameters: journal, queue, time, reason.
  static let buryAll = PostgresSQL(
    burying(where: "journal = $1::bigint AND queue = $2::bytea", time: "$3", reason: "$4"))

  private static func burying(where condition: String, time: String, reason: String) -> String {
    """
    WITH gone AS (DELETE FROM outbox WHERE \(condition) RETURNING *)
    INSERT INTO dead_letter
      (journal, queue, position, ordinal, lane, milliseconds, attempt_count, dead_milliseconds, content, reason)
    SELECT journal, queue, position, ordinal, lane, milliseconds, attempt_count, \(time)::bigint, content,
      \(reason)::bytea FROM gone
    ON CONFLICT (journal, queue, position, ordinal) DO UPDATE
      SET dead_milliseconds = excluded.dead_milliseconds, reason = excluded.reason, content = excluded.content,
        attempt_count = excluded.attempt_count
    """
  }

  /// Puts a dead letter back into the outbox. Parameters: journal, queue, place.
  static let revive = PostgresSQL(reviving(where: key))

  /// Puts the first dead letters back into the outbox. Parameters: journal, queue, count.
  static let reviveSome = PostgresSQL(
    reviving(
      where: """
        journal = $1::bigint AND queue = $2::bytea AND (position, ordinal) IN
          (SELECT position, ordinal FROM dead_letter WHERE journal = $1 AND queue = $2
            ORDER BY position, ordinal LIMIT $3::bigint)
        """))

  private static func reviving(where condition: String) -> String {
    """
    WITH gone AS (DELETE FROM dead_letter WHERE \(condition) RETURNING *)
    INSERT INTO outbox
      (journal, queue, position, ordinal, lane, milliseconds, attempt_count, due_milliseconds, content)
    SELECT journal, queue, position, ordinal, lane, milliseconds, 0, 0, content FROM gone
    ON CONFLICT (journal, queue, position, ordinal) DO UPDATE SET attempt_count = 0, due_milliseconds = 0
    """
  }

  /// Removes some dead letters from before a time, and the oldest above a total size. Parameters: journal, queue, time,
  /// bytes.
  static let removeDead = PostgresSQL(
    """
    WITH old AS (
        SELECT position, ordinal, dead_milliseconds, sum(size) OVER w - size AS bytes_before FROM (
          SELECT position, ordinal, dead_milliseconds, octet_length(content) AS size FROM dead_letter
          WHERE journal = $1::bigint AND queue = $2::bytea
          ORDER BY dead_milliseconds, position, ordinal LIMIT \(PostgresLimits.pruneStepRows)) oldest
        WINDOW w AS (ORDER BY dead_milliseconds, position, ordinal)),
      total AS (
        SELECT coalesce(sum(octet_length(content)), 0) AS bytes FROM dead_letter WHERE journal = $1 AND queue = $2)
    DELETE FROM dead_letter d USING old o, total t
    WHERE d.journal = $1 AND d.queue = $2 AND d.position = o.position AND d.ordinal = o.ordinal
      AND (o.dead_milliseconds < $3::bigint OR o.bytes_before < t.bytes - $4::bigint)
    """)
}
