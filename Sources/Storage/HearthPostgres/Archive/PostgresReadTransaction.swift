import HearthJournal

/// A read transaction on its own connection to PostgreSQL. It sees no later writes, and the rows that it can see are
/// not vacuumed.
final class PostgresReadTransaction: Sendable {
  private let worker: PostgresWorker
  private let address: PostgresAddress
  /// The identity of the transaction, by which a new transaction after a reconnect is detected.
  private let transactionIdentity: [Int64?]

  private static let identity = PostgresStatement(
    PostgresSQL(
      """
      SELECT pg_backend_pid()::bigint, (extract(epoch FROM transaction_timestamp()) * 1000000)::bigint,
        (SELECT count(*) FROM format)
      """))

  /// Begins the transaction.
  ///
  /// - Throws: `.permissionDenied`, `.unavailable`.
  init(_ engine: PostgresEngine) throws(JournalError) {
    address = engine.address
    let settings =
      PostgresSchema.settings(engine.options) + [
        PostgresStatement(PostgresSQL("SELECT set_config('idle_in_transaction_session_timeout', '0', false)"))
      ]
    worker = try PostgresEngine.start(1, address, PostgresWorker.SetUp(statements: settings, prepared: []))[0]
    let begin = PostgresStatement(PostgresSQL("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
    do throws(JournalError) {
      transactionIdentity = Self.transactionIdentity(
        try PostgresEngine.run(worker, [begin, Self.identity], address)[1])
    } catch {
      worker.close()
      throw error
    }
  }

  deinit { worker.close() }

  /// Runs statements at that moment.
  ///
  /// - Throws: `.unavailable`, also when the connection was lost, and with it the moment.
  func run(_ action: String, _ statements: [PostgresStatement]) throws(JournalError) -> [PostgresAnswer] {
    let answers = try PostgresEngine.run(worker, [Self.identity] + statements, address, action)
    guard Self.transactionIdentity(answers[0]) == transactionIdentity else {
      throw .unreachable(action, address, "the connection was lost during a consistent read")
    }
    return Array(answers.dropFirst())
  }

  private static func transactionIdentity(_ answer: PostgresAnswer) -> [Int64?] {
    [answer.integer(0, 0), answer.integer(0, 1)]
  }
}
