import HearthJournal

/// A connection that marks these tables as used by a server while it lasts, and checks that PostgreSQL answers.
///
/// It prevents that two servers, or a single server and the nodes of a cluster, use the same tables by mistake. Even
/// without this connection, the epoch of each journal protects the data.
final class PostgresPresence: Sendable {
  private let worker: PostgresWorker
  private let address: PostgresAddress
  private let probe: PostgresStatement

  /// Returns the statement that takes the session's lock; it is repeated after a reconnect.
  private static func lock(isShared: Bool) -> PostgresSQL {
    PostgresSQL(
      """
      SELECT CASE
        WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted) THEN 1
        WHEN pg_try_advisory_lock\(isShared ? "_shared" : "")(hashtext('hearth'), hashtext($1::text)) THEN 1
        ELSE 0 END::bigint
      """)
  }

  /// Makes the server notice the loss of this machine within seconds; otherwise its successor would wait for hours.
  private static let keepalives = PostgresStatement(
    PostgresSQL(
      """
      SELECT set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
        set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false)
      """))

  /// - Parameter isShared: True when other servers with a shared lock may use the tables too.
  /// - Throws: `.inputOutput` when there is no thread or descriptor for it.
  init(_ engine: PostgresEngine, isShared: Bool = false) throws(JournalError) {
    address = engine.address
    probe = PostgresStatement(Self.lock(isShared: isShared), [.text(engine.options.schema)])
    let settings = PostgresSchema.settings(engine.options) + [Self.keepalives]
    worker = try PostgresEngine.start(1, address, PostgresWorker.SetUp(statements: settings, prepared: []))[0]
  }

  deinit { close() }

  /// Checks once. Blocks for ``PostgresLimits/checkSeconds`` at most.
  func check() -> JournalStoreState {
    do {
      let answers = try PostgresEngine.run(
        worker, [probe], address, "checking PostgreSQL", seconds: PostgresLimits.checkSeconds)
      return answers[0].integer(0, 0) == 1 ? .alone : .taken
    } catch {
      return .unreachable(error.cause ?? error.message)
    }
  }

  /// Waits until no other server uses the tables: one that has just stopped needs a moment to disappear.
  ///
  /// - Throws: `.inUse` when there still is one after ``PostgresLimits/inUseWaitSeconds``; `.unavailable`.
  func waitUntilAlone() throws(JournalError) {
    let deadline = PostgresWorker.now &+ UInt64(PostgresLimits.inUseWaitSeconds) &* 1_000_000_000
    while true {
      switch check() {
      case .alone: return
      case .unreachable(let text): throw .unreachable("checking PostgreSQL", address, text)
      case .taken:
        guard PostgresWorker.now < deadline else {
          throw JournalError(.inUse, "another server uses \(address); stop it, or name another database")
        }
        PostgresWorker.pause(milliseconds: 200)
      }
    }
  }

  /// Releases the tables for other servers.
  func close() { worker.close() }
}
