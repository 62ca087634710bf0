import HearthJournal

/// The tables, and the settings of each connection.
///
/// - `format`: one row, the version of these tables.
/// - `journal`: a row for each journal, with the epoch of its last owner. Appends read it and never write it.
/// - `batch`: a row for each group commit, by journal and first position, so that two rival owners conflict at the same
///   key. `running_hash` is `RunningHash`, as a signed integer of the same bits; `content_hash` is set when the payload
///   has been rewritten, and is the hash of the new payload alone. A row whose `last_position` is its `first_position`
///   minus 1 is a claim: a new owner writes it at the end of the log, and its first batch replaces it. Any other row
///   without a payload is the last of the pruned ones, to which the next row refers.
/// - `batch_part`: the part of a batch's payload that does not fit in its row.
/// - `snapshot`, `snapshot_chunk`: as in an embedded journal; a chunk is named by the SHA-256 of its content.
/// - `chunk`: the content of chunks, once for each journal, however many snapshots share it.
/// - `outbox`, `dead_letter`: waiting entries, and those that were given up. Their texts are bytes in UTF-8, because
///   PostgreSQL's `text` cannot contain U+0000.
///
/// For several nodes, see ``PostgresClusterStore``:
///
/// - `cluster`: one row with the number that identifies the cluster.
/// - `node`: a row for each node: its incarnation, its address, the end of its lease, the start of the current gapless
///   sequence of heartbeats, the number of gaps, and its last ended incarnation.
/// - `journal` names the incarnation that claimed the epoch; NULL when the owner is a server without a cluster, or has
///   released the journal.
enum PostgresSchema {
  /// The version of these tables.
  static var version: Int64 { Int64(versions.count) }

  /// The statements that set up a connection before any other.
  static func settings(_ options: PostgresOptions) -> [PostgresStatement] {
    [
      PostgresStatement(PostgresSQL("SELECT pg_backend_pid()::bigint")),
      PostgresStatement(
        PostgresSQL(
          """
          SELECT set_config('search_path', $1::text, false), set_config('statement_timeout', '0', false),
            set_config('lock_timeout', '0', false), set_config('default_transaction_isolation', 'read committed', false),
            set_config('client_min_messages', 'warning', false),
            set_config('synchronous_commit',
              CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)
          """), [.text(options.schema)]),
    ]
  }

  /// The tables of version 1, followed by the additions of each later one.
  private static let versions = [logTables, outboxTables, clusterTables]

  private static let logTables = [
    "CREATE TABLE format (version bigint NOT NULL)",
    """
    CREATE TABLE journal (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" UNIQUE NOT NULL,
      epoch bigint NOT NULL,
      confirmed_position bigint NOT NULL,
      last_snapshot bigint NOT NULL
    )
    """,
    """
    CREATE TABLE batch (
      journal bigint NOT NULL,
      first_position bigint NOT NULL,
      last_position bigint NOT NULL,
      epoch bigint NOT NULL,
      running_hash bigint NOT NULL,
      content_hash bigint,
      size_bytes bigint NOT NULL,
      part_count bigint NOT NULL,
      payload bytea,
      PRIMARY KEY (journal, first_position)
    )
    """,
    """
    CREATE TABLE batch_part (
      journal bigint NOT NULL,
      first_position bigint NOT NULL,
      part bigint NOT NULL,
      payload bytea NOT NULL,
      PRIMARY KEY (journal, first_position, part)
    )
    """,
    // Compression takes longer than writing, and an append waits for it.
    "ALTER TABLE batch ALTER payload SET STORAGE EXTERNAL",
    "ALTER TABLE batch_part ALTER payload SET STORAGE EXTERNAL",
    """
    CREATE TABLE snapshot (
      journal bigint NOT NULL,
      id bigint NOT NULL,
      epoch bigint NOT NULL,
      position bigint NOT NULL,
      running_hash bigint NOT NULL,
      chunk_count bigint NOT NULL,
      size_bytes bigint NOT NULL,
      is_complete boolean NOT NULL,
      PRIMARY KEY (journal, id)
    )
    """,
    """
    CREATE TABLE snapshot_chunk (
      journal bigint NOT NULL,
      snapshot bigint NOT NULL,
      chunk_index bigint NOT NULL,
      hash bytea NOT NULL,
      PRIMARY KEY (journal, snapshot, chunk_index)
    )
    """,
    "CREATE INDEX snapshot_chunk_hash ON snapshot_chunk (journal, hash)",
    """
    CREATE TABLE chunk (
      journal bigint NOT NULL,
      hash bytea NOT NULL,
      payload bytea NOT NULL,
      PRIMARY KEY (journal, hash)
    )
    """,
  ]

  private static let outboxTables = [
    """
    CREATE TABLE outbox (
      journal bigint NOT NULL,
      queue bytea NOT NULL,
      position bigint NOT NULL,
      ordinal bigint NOT NULL,
      lane bytea NOT NULL,
      milliseconds bigint NOT NULL,
      attempt_count bigint NOT NULL,
      due_milliseconds bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (journal, queue, position, ordinal)
    )
    """,
    """
    CREATE TABLE dead_letter (
      journal bigint NOT NULL,
      queue bytea NOT NULL,
      position bigint NOT NULL,
      ordinal bigint NOT NULL,
      lane bytea NOT NULL,
      milliseconds bigint NOT NULL,
      attempt_count bigint NOT NULL,
      dead_milliseconds bigint NOT NULL,
      reason bytea NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (journal, queue, position, ordinal)
    )
    """,
  ]

  private static let clusterTables = [
    "ALTER TABLE journal ADD owner text COLLATE \"C\", ADD owner_incarnation bigint",
    """
    CREATE TABLE node (
      name text COLLATE "C" PRIMARY KEY,
      incarnation bigint NOT NULL,
      address text NOT NULL,
      lease_until timestamptz NOT NULL,
      steady_since timestamptz NOT NULL,
      gaps bigint NOT NULL,
      ended bigint NOT NULL
    )
    """,
    "CREATE TABLE cluster (number bigint NOT NULL)",
    "INSERT INTO cluster SELECT ('x' || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint",
  ]

  /// Creates the tables when they are missing, and adds those of newer versions.
  ///
  /// - Parameter execute: Runs statements in one transaction.
  /// - Throws: `.unsupportedFormat`, `.notAJournal`, or the error of `execute`.
  static func make(
    _ address: PostgresAddress, _ options: PostgresOptions,
    _ execute: ([PostgresStatement]) throws(JournalError) -> [PostgresAnswer]
  ) throws(JournalError) {
    let found = try foundVersion(address, options, execute)
    if found == version { return }
    var statements: [PostgresStatement] = []
    if found == 0, try !hasSchema(options, execute) {
      statements.append(PostgresStatement(PostgresSQL("CREATE SCHEMA \(options.schema)")))
    }
    statements += versions.dropFirst(Int(found)).joined().map { PostgresStatement(PostgresSQL($0)) }
    let note = found == 0 ? "INSERT INTO format VALUES ($1::bigint)" : "UPDATE format SET version = $1::bigint"
    statements.append(PostgresStatement(PostgresSQL(note), [.integer(version)]))
    do { _ = try execute(statements) } catch {
      // Another server may have begun at the same moment: then they exist now, or this is the reason of the failure.
      if try foundVersion(address, options, execute) == version { return }
      throw error
    }
  }

  private static func hasSchema(
    _ options: PostgresOptions, _ execute: ([PostgresStatement]) throws(JournalError) -> [PostgresAnswer]
  ) throws(JournalError) -> Bool {
    let query = PostgresSQL("SELECT count(*) FROM pg_namespace WHERE nspname = $1::text")
    return try execute([PostgresStatement(query, [.text(options.schema)])])[0].integer(0, 0) != 0
  }

  /// Returns the version of the existing tables, 0 without any. Refuses those of a newer one.
  private static func foundVersion(
    _ address: PostgresAddress, _ options: PostgresOptions,
    _ execute: ([PostgresStatement]) throws(JournalError) -> [PostgresAnswer]
  ) throws(JournalError) -> Int64 {
    let query = PostgresSQL(
      "SELECT count(*) FROM pg_tables WHERE schemaname = $1::text AND tablename IN ('format', 'journal')")
    switch try execute([PostgresStatement(query, [.text(options.schema)])])[0].integer(0, 0) ?? 0 {
    case 0: return 0
    case 2: break
    default:
      throw JournalError(
        .notAJournal, "the schema \(options.schema) in \(address) belongs to another program: choose another one")
    }
    let found = try execute([PostgresStatement(PostgresSQL("SELECT version FROM format"))])[0].integer(0, 0)
    guard let found, (1...version).contains(found) else {
      throw JournalError(
        .unsupportedFormat,
        "the tables in \(address), schema \(options.schema), have version \(found ?? 0); this version of Hearth "
          + "supports versions 1 to \(version)")
    }
    return found
  }
}
