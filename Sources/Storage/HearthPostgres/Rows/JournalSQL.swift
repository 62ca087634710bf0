/// The statements on whole journals.
enum JournalSQL {
  /// Finds a journal. Parameters: name.
  static let find = PostgresSQL("SELECT id FROM journal WHERE name = $1::text")

  /// Creates a journal, unless it exists. Parameters: name.
  static let make = PostgresSQL(
    """
    INSERT INTO journal (name, epoch, confirmed_position, last_snapshot) VALUES ($1::text, 0, 0, 0)
    ON CONFLICT DO NOTHING
    """)

  /// Renames a journal. Parameters: journal, name.
  static let rename = PostgresSQL(
    """
    UPDATE journal SET name = $2::text WHERE id = $1::bigint
      AND NOT EXISTS (SELECT FROM journal WHERE name = $2)
    """)

  /// Finds a name of one collection that is taken in another one. Parameters: the prefixes of their names, the one and
  /// the other.
  static let taken = PostgresSQL(
    """
    SELECT a.name FROM journal a JOIN journal b ON b.name = $2::text || substr(a.name, length($1::text) + 1)
    WHERE starts_with(a.name, $1) ORDER BY a.name COLLATE "C" LIMIT 1
    """)

  /// Moves the journals of one collection to another one. Parameters: as for ``taken``.
  static let renameAll = PostgresSQL(
    """
    UPDATE journal SET name = $2::text || substr(name, length($1::text) + 1) WHERE starts_with(name, $1)
    """)

  // MARK: Removing

  /// The prefix of the names of journals that are being removed; a number follows.
  static let removedPrefix = "removed/"

  /// Makes a journal unreachable by its name. Parameters: journal.
  static let hide = PostgresSQL("UPDATE journal SET name = '\(removedPrefix)' || id WHERE id = $1::bigint")

  static let removed = PostgresSQL("SELECT id FROM journal WHERE name ~ '^\(removedPrefix)[0-9]+$'")

  static let remove = PostgresSQL("DELETE FROM journal WHERE id = $1::bigint")

  /// The tables with rows of journals, in the order of removal.
  static let tables = ["outbox", "dead_letter", "snapshot_chunk", "chunk", "snapshot", "batch_part", "batch"]

  /// Removes some rows of a removed journal, whatever they are.
  static func removeSome(of table: String) -> PostgresSQL {
    PostgresSQL(
      """
      DELETE FROM \(table) WHERE ctid IN
        (SELECT ctid FROM \(table) WHERE journal = $1::bigint LIMIT \(PostgresLimits.pruneStepRows))
      """)
  }
}
