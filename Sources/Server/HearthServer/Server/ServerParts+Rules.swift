import HearthDatabase
import HearthEngine
import HearthGateway
import HearthRules

/// Putting rules in force.
extension ServerParts {
  func deploy(_ rules: RuleSet, to namespace: String, _ change: RulesChange) async throws(ServerError) {
    try await Self.deploy(rules, to: try await Self.database(namespace, services), change, services)
  }

  /// For the default database, those that follow the same file, and those to come.
  func deployFile(_ rules: RuleSet, _ change: RulesChange) async throws(ServerError) {
    let before = followedRules.withLock { text in
      let before = text
      text = rules.source
      return before
    }
    databases.setInitialRules(rules)
    for database in databases.openDatabases {
      let isFollowing =
        database.name == services.databases.defaultNamespace || database.published.rules.source == before
      if isFollowing { try await Self.deploy(rules, to: database, change, services) }
    }
  }

  static func database(_ name: String, _ services: GatewayServices) async throws(ServerError) -> Database {
    do {
      return try await services.databases.database(name, .byMode, on: services.router.anyLoop).get()
    } catch DatabaseProblem.unavailable(let cause) {
      throw ServerError(.storage, "cannot open the database \(name): \(cause)")
    } catch {
      throw ServerError(.unknownDatabase, "there is no database \(name)")
    }
  }

  static func deploy(
    _ rules: RuleSet, to database: Database, _ change: RulesChange, _ services: GatewayServices
  ) async throws(ServerError) {
    do throws(RESTFailure) {
      try await services.rules.deploy(rules, to: database, change)
    } catch {
      throw ServerError(.storage, "the rules could not be put in force: \(error.text)")
    }
  }
}
