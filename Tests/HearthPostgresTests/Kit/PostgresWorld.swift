import HearthJournal

@testable import HearthPostgres

/// A server's connections to a PostgreSQL, in a schema of their own unless they share one.
final class PostgresWorld: Sendable {
  let server: ThrowawayPostgres
  let schema: String
  let engine: PostgresEngine

  init(
    _ server: ThrowawayPostgres? = nil, schema: String = ThrowawayPostgres.newSchema(), url: String? = nil,
    writers: Int = 2, patienceSeconds: Double = 60
  ) throws {
    self.server = try server ?? ThrowawayPostgres.shared()
    self.schema = schema
    engine = try PostgresEngine(
      PostgresAddress(url ?? self.server.url),
      options: PostgresOptions(schema: schema, writers: writers, patienceSeconds: patienceSeconds))
  }

  /// Another server on the same rows.
  func peer(url: String? = nil, patienceSeconds: Double = 60) throws -> PostgresWorld {
    try PostgresWorld(server, schema: schema, url: url, patienceSeconds: patienceSeconds)
  }

  func journal(_ name: String = "main") throws -> PostgresJournal {
    // Because these journals are of this type.
    try engine.journals("").open(name).journal as! PostgresJournal
  }

  /// What the rows are, seen past the journal.
  @discardableResult
  func sql(_ text: String) throws -> [String] {
    let psql = try Psql(server.url)
    try psql.run("SET search_path = \(schema)")
    return try psql.run(text)
  }
}
