import HearthJournal

@testable import HearthPostgres

/// A server's connections to a PostgreSQL, in their own schema unless they share one.
final class PostgresFixture: Sendable {
  let server: ThrowawayPostgres
  let schema: String
  let engine: PostgresEngine

  init(
    _ server: ThrowawayPostgres? = nil, schema: String = ThrowawayPostgres.newSchema(), url: String? = nil,
    writers: Int = 2, requestTimeoutSeconds: Double = 60
  ) throws {
    self.server = try server ?? ThrowawayPostgres.shared()
    self.schema = schema
    engine = try PostgresEngine(
      PostgresAddress(url ?? self.server.url),
      options: PostgresOptions(schema: schema, writers: writers, requestTimeoutSeconds: requestTimeoutSeconds))
  }

  /// Connects another server to the same rows.
  func peer(url: String? = nil, requestTimeoutSeconds: Double = 60) throws -> PostgresFixture {
    try PostgresFixture(server, schema: schema, url: url, requestTimeoutSeconds: requestTimeoutSeconds)
  }

  func journal(_ name: String = "main") throws -> PostgresJournal {
    // Journals of this engine have this type.
    try engine.journals("").open(name).journal as! PostgresJournal
  }

  /// Runs SQL on the rows directly, without the journal.
  @discardableResult
  func sql(_ text: String) throws -> [String] {
    let psql = try Psql(server.url)
    try psql.run("SET search_path = \(schema)")
    return try psql.run(text)
  }
}
