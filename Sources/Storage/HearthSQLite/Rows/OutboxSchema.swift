/// The tables of the outbox, which are created with the first entry: a file without entries keeps the earlier format.
///
/// - `outbox`: waiting entries.
/// - `dead_letter`: entries that were given up.
enum OutboxSchema {
  /// The lowest version of a file with these tables, in SQLite's `user_version`.
  static let version: Int64 = 2

  static let creation = """
    CREATE TABLE outbox (
      queue TEXT NOT NULL,
      position INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      lane TEXT NOT NULL,
      milliseconds INTEGER NOT NULL,
      attempt_count INTEGER NOT NULL,
      due_milliseconds INTEGER NOT NULL,
      content BLOB NOT NULL,
      PRIMARY KEY (queue, position, ordinal)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE dead_letter (
      queue TEXT NOT NULL,
      position INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      lane TEXT NOT NULL,
      milliseconds INTEGER NOT NULL,
      attempt_count INTEGER NOT NULL,
      dead_milliseconds INTEGER NOT NULL,
      reason TEXT NOT NULL,
      content BLOB NOT NULL,
      PRIMARY KEY (queue, position, ordinal)
    ) STRICT, WITHOUT ROWID;
    """

  static let add = """
    INSERT INTO outbox (queue, position, ordinal, lane, milliseconds, attempt_count, due_milliseconds, content)
    VALUES (?, ?, ?, ?, ?, 0, 0, ?)
    """

  /// Adds a dead letter. The reason is passed as bytes, here and in ``bury``, because SQLite cuts texts at their first
  /// zero.
  static let addDead = """
    INSERT INTO dead_letter
      (queue, position, ordinal, lane, milliseconds, attempt_count, dead_milliseconds, reason, content)
    VALUES (?1, ?2, ?3, ?4, ?5, 0, ?5, CAST(?6 AS TEXT), ?7)
    """

  /// Adds an entry of another journal.
  static let addKept = """
    INSERT INTO outbox
      (queue, position, ordinal, lane, milliseconds, attempt_count, due_milliseconds, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// Adds a kept dead letter.
  static let addKeptDead = """
    INSERT INTO dead_letter
      (queue, position, ordinal, lane, milliseconds, attempt_count, dead_milliseconds, reason, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)
    """

  /// Selects all waiting entries, in order.
  static let allWaiting = """
    SELECT position, ordinal, milliseconds, attempt_count, due_milliseconds, queue, lane, content, NULL FROM outbox
    ORDER BY queue, position, ordinal
    """

  /// Selects all dead letters, in order.
  static let allDead = """
    SELECT position, ordinal, milliseconds, attempt_count, dead_milliseconds, queue, lane, content,
      CAST(reason AS BLOB) FROM dead_letter
    ORDER BY queue, position, ordinal
    """

  static let remove = "DELETE FROM outbox WHERE queue = ? AND position = ? AND ordinal = ?"

  static let bury = """
    INSERT OR REPLACE INTO dead_letter
      (queue, position, ordinal, lane, milliseconds, attempt_count, dead_milliseconds, reason, content)
    SELECT queue, position, ordinal, lane, milliseconds, attempt_count, ?, CAST(? AS TEXT), content FROM outbox
    """

  static let revive = """
    INSERT OR REPLACE INTO outbox
      (queue, position, ordinal, lane, milliseconds, attempt_count, due_milliseconds, content)
    SELECT queue, position, ordinal, lane, milliseconds, 0, 0, content FROM dead_letter
    """
}
