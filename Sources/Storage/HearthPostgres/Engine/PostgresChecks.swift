import Glibc
import HearthJournal

/// The checks of a PostgreSQL server before journals are stored there: its configuration must not lose acknowledged
/// commits in a crash.
enum PostgresChecks {
  /// The oldest supported version. The tests run on version 15.
  private static let versionMin: Int64 = 130_000

  private static let query = PostgresSQL(
    """
    SELECT current_setting('server_version_num')::bigint, current_setting('fsync'),
      current_setting('full_page_writes'), current_setting('synchronous_standby_names'),
      coalesce((SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit'), 'on'),
      pg_backend_pid()::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
      (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'Patroni'),
      current_setting('server_encoding')
    """)

  /// - Parameter execute: Runs statements in one transaction.
  /// - Returns: The warnings, one sentence each.
  /// - Throws: `.notAJournal` with the reason for a refusal.
  static func run(
    _ address: PostgresAddress, _ execute: ([PostgresStatement]) throws(JournalError) -> [PostgresAnswer]
  ) throws(JournalError) -> [String] {
    let before = milliseconds
    let answers = try execute([PostgresStatement(query)])
    let after = milliseconds
    guard let found = answers.first, let version = found.integer(0, 0), let clock = found.integer(0, 6) else {
      throw refusal("does not respond like PostgreSQL", address)
    }
    guard version >= versionMin else {
      throw refusal("is version \(version / 10_000); \(versionMin / 10_000) or newer is needed", address)
    }
    guard found.text(0, 8) == "UTF8" else { throw refusal("has a database whose encoding is not UTF8", address) }
    guard found.text(0, 1) == "on" else {
      throw refusal("has fsync disabled: acknowledged commits may be lost; enable it", address)
    }
    var warnings: [String] = []
    if found.text(0, 2) != "on" {
      warnings.append(
        "full_page_writes is off: a crash may damage pages, unless the file system writes them atomically")
    }
    if found.text(0, 3)?.isEmpty != false {
      warnings.append(
        "synchronous_standby_names is empty: commits are on one machine only, and a failover may lose them")
    }
    if let level = found.text(0, 4), !["on", "remote_apply"].contains(level) {
      warnings.append("synchronous_commit is \(level) on the server; Hearth sets it to on for its connections")
    }
    // The server read its clock at some instant between the two readings of this machine's clock.
    let skew = clock < before ? before - clock : clock > after ? clock - after : 0
    if skew > Int64(PostgresLimits.clockSkewMilliseconds) {
      warnings.append("the server's clock differs from this machine's by \(skew) ms")
    }
    if let count = found.integer(0, 7), count > 0 {
      warnings.append(
        "Patroni before 3.2 manages this server; 3.0.2 with etcd3 loses acknowledged commits if a primary freezes: "
          + "use version 4")
    }
    return warnings
  }

  private static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  private static func refusal(_ reason: String, _ address: PostgresAddress) -> JournalError {
    JournalError(.notAJournal, "PostgreSQL at \(address) \(reason)")
  }
}
