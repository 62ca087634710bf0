/// The statements of a cluster's nodes: leases, owners, and rows written by a node's incarnation.
///
/// Leases are measured with the server's clock, which is read while the node's row is locked. A call about a lease thus
/// waits for a heartbeat that has arrived in time and is still waiting for a standby. A heartbeat that gets the lock
/// too late finds its lease lapsed, and reports it.
struct ClusterSQL: Sendable {
  /// Appends a row; prepared by the connections for appends.
  let append = PostgresSQL(prepared: "append_row", appendText(isFirst: false))
  /// Appends the first row of a log; prepared by the connections for appends.
  let appendFirst = PostgresSQL(prepared: "append_first_row", appendText(isFirst: true))

  var prepared: [PostgresSQL] { [append, appendFirst, BatchSQL.addPart, OutboxSQL.add, OutboxSQL.addDead] }

  /// Registers a new incarnation of a node, with a lease. Parameters: name, address, milliseconds of the lease.
  let register: PostgresSQL
  /// Renews the lease of an incarnation that has not ended. Parameters: name, incarnation, milliseconds. Returns the
  /// number of gaps.
  let heartbeat: PostgresSQL
  /// Declares an incarnation ended whose lease has lapsed or which has a successor. Parameters: name, incarnation.
  let end: PostgresSQL
  /// Claims a journal. Parameters: journal, the last epoch that the caller has read, the highest epoch that it knows,
  /// name, incarnation. Returns the new epoch.
  let claim: PostgresSQL
  /// Reads the owner of a journal and the remaining milliseconds of its lease. Parameters: journal.
  let owner: PostgresSQL
  /// Reads the owner of a journal, the end of its log, and its head at a position. Parameters: journal, position.
  let position: PostgresSQL

  /// Limits waits for locks in the rest of the transaction to the time limit of a lease call.
  static let leaseLockTimeout = PostgresStatement(
    PostgresSQL("SELECT set_config('lock_timeout', '\(PostgresLimits.leaseAnswerSeconds)s', true)"))

  /// Reads the nodes with valid leases.
  static let living = PostgresSQL(
    """
    SELECT name FROM node WHERE lease_until > clock_timestamp() AND ended < incarnation ORDER BY name
    """)

  /// - Parameter clock: The SQL expression of the server's clock.
  init(clock: String = "clock_timestamp()") {
    register = PostgresSQL(
      """
      INSERT INTO node AS n (name, incarnation, address, lease_until, steady_since, gaps, ended)
      SELECT $1::text, t.number, $2::text, t.now + $3::bigint * interval '1 millisecond', t.now, 0, t.number - 1
      FROM (SELECT c.now, (extract(epoch FROM c.now) * 1000)::bigint AS number FROM (SELECT \(clock) AS now) c) t
      ON CONFLICT (name) DO UPDATE SET
        incarnation = greatest(n.incarnation + 1, n.ended + 1, excluded.incarnation), address = excluded.address,
        lease_until = excluded.lease_until, steady_since = excluded.steady_since, gaps = 0,
        ended = greatest(n.ended, n.incarnation)
      RETURNING incarnation
      """)
    heartbeat = PostgresSQL(
      """
      UPDATE node SET gaps = gaps + (lease_until < \(clock))::integer,
        steady_since = CASE WHEN lease_until < \(clock) THEN \(clock) ELSE steady_since END,
        lease_until = \(clock) + $3::bigint * interval '1 millisecond'
      WHERE name = $1::text AND incarnation = $2::bigint AND ended < $2
      RETURNING gaps
      """)
    // An incarnation without a row was lost by the server: its heartbeats are refused from now on.
    end = PostgresSQL(
      """
      INSERT INTO node AS n (name, incarnation, address, lease_until, steady_since, gaps, ended)
      VALUES ($1::text, $2::bigint, '', '-infinity', '-infinity', 0, $2)
      ON CONFLICT (name) DO UPDATE SET ended = greatest(n.ended, $2)
      WHERE n.incarnation <> $2 OR n.ended >= $2 OR n.lease_until < \(clock)
      """)
    claim = PostgresSQL(
      """
      WITH holder AS MATERIALIZED (
        SELECT n.incarnation, n.ended, n.lease_until FROM journal o JOIN node n ON n.name = o.owner
        WHERE o.id = $1::bigint AND o.owner <> $4::text FOR UPDATE OF n)
      UPDATE journal o SET epoch = greatest(o.epoch, $3::bigint) + 1, owner = $4, owner_incarnation = $5::bigint
      FROM node me
      WHERE o.id = $1 AND o.epoch = $2::bigint AND greatest(o.epoch, $3) < 9223372036854775807
        AND NOT starts_with(o.name, '\(JournalSQL.removedPrefix)')
        AND me.name = $4 AND me.incarnation = $5 AND me.ended < $5
        AND (o.owner IS NULL OR o.owner = $4 OR NOT EXISTS (
          SELECT FROM holder h
          WHERE h.incarnation = o.owner_incarnation AND h.ended < h.incarnation AND h.lease_until >= \(clock)))
      RETURNING o.epoch
      """)
    let ownership = """
      o.epoch, o.owner, o.owner_incarnation, (n.name IS NULL OR n.incarnation <> o.owner_incarnation
        OR n.ended >= o.owner_incarnation OR n.lease_until < \(clock))::integer::bigint
      """
    let from = "FROM journal o LEFT JOIN node n ON n.name = o.owner"
    owner = PostgresSQL(
      """
      SELECT \(ownership), CASE WHEN isfinite(n.lease_until)
        THEN ceil(extract(epoch FROM n.lease_until - \(clock)) * 1000)::bigint END
      \(from) WHERE o.id = $1::bigint
      """)
    // A claim that a single server left at the end is no row: the previous one is the last, unless it was pruned.
    position = PostgresSQL(
      """
      SELECT \(ownership), tail.epoch, tail.last_position, tail.running_hash, start.epoch, start.running_hash,
        (SELECT min(first_position) FROM batch WHERE journal = $1::bigint)
      \(from)
      LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT epoch, first_position, last_position, running_hash FROM batch WHERE journal = $1
          ORDER BY first_position DESC LIMIT 2) b
        ORDER BY last_position < first_position, first_position DESC LIMIT 1) tail ON true
      LEFT JOIN LATERAL (
        SELECT epoch, last_position, running_hash FROM batch WHERE journal = $1 AND first_position <= $2::bigint
        ORDER BY first_position DESC LIMIT 1) start ON start.last_position = $2
      WHERE o.id = $1
      """)
  }

  /// Releases a journal. Parameters: journal, epoch.
  let release = PostgresSQL(
    "UPDATE journal SET owner = NULL, owner_incarnation = NULL WHERE id = $1::bigint AND epoch = $2::bigint")

  /// Appends a row, if its predecessor is the last row and the journal's epoch is the claimed one. The row itself may
  /// be of an earlier epoch, when it is restored. Writes one row, or none.
  ///
  /// Parameters: journal, first and last position, the row's epoch, running hash, size, parts, payload, the claimed
  /// epoch, then epoch and running hash of the row before.
  private static func appendText(isFirst: Bool) -> String {
    let predecessor =
      isFirst
      ? "NOT EXISTS (SELECT FROM batch p WHERE p.journal = $1)"
      : """
      EXISTS (SELECT FROM batch p WHERE p.journal = $1
          AND p.first_position = (SELECT max(first_position) FROM batch WHERE journal = $1 AND first_position < $2)
          AND p.last_position = $2 - 1 AND p.epoch = $10::bigint AND p.running_hash = $11::bigint)
      """
    return """
      INSERT INTO batch (journal, first_position, last_position, epoch, running_hash, size_bytes, part_count, payload)
      SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bytea
      FROM journal o WHERE o.id = $1 AND o.epoch = $9::bigint AND \(predecessor)
      ON CONFLICT DO NOTHING
      """
  }

  /// Removes the claim that a single server left at the end of a log, so that a row can replace it. Parameters:
  /// journal, the claimed epoch, name, incarnation.
  let removeClaim = PostgresSQL(
    """
    DELETE FROM batch c USING journal o
    WHERE \(strayClaim)
      AND (c.first_position = 1 OR EXISTS (
        SELECT FROM batch p WHERE p.journal = $1 AND p.first_position < c.first_position))
    """)

  /// Turns that claim into the last pruned row, where all rows before it were pruned. Parameters: as for
  /// ``removeClaim``.
  let pruneClaim = PostgresSQL(
    "UPDATE batch c SET first_position = c.first_position - 1 FROM journal o WHERE \(strayClaim) AND c.first_position > 1"
  )

  private static let strayClaim = """
    o.id = $1::bigint AND o.epoch = $2::bigint AND o.owner = $3::text AND o.owner_incarnation = $4::bigint
      AND c.journal = $1 AND c.last_position < c.first_position
      AND c.first_position = (SELECT max(first_position) FROM batch WHERE journal = $1)
    """

  /// Reads rows after a position with all their parts, in order, up to a number of bytes and at least one. Parameters:
  /// journal, position, bytes.
  let rows = PostgresSQL(
    """
    SELECT first_position, last_position, epoch, running_hash, content_hash, size_bytes,
      CASE part_count WHEN 0 THEN payload ELSE payload || (
        SELECT string_agg(p.payload, ''::bytea ORDER BY p.part) FROM batch_part p
        WHERE p.journal = $1 AND p.first_position = counted.first_position) END
    FROM (
      SELECT *, sum(size_bytes) OVER w AS total, row_number() OVER w AS number FROM (
        SELECT * FROM batch WHERE journal = $1::bigint AND first_position > $2::bigint
          AND last_position >= first_position
        ORDER BY first_position LIMIT \(PostgresLimits.readRows)) rows
      WINDOW w AS (ORDER BY first_position)) counted
    WHERE number = 1 OR total <= $3::bigint ORDER BY first_position
    """)

  static let cluster = PostgresSQL("SELECT number FROM cluster")
}
