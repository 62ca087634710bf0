import HearthDatabase
import HearthEngine
import HearthGateway
import HearthRules
import Synchronization

/// The deployer of the rules of the operator's file.
final class ServerRules: Sendable {
  private let services: GatewayServices
  private let databases: DatabaseRegistry
  /// The text of the rules that databases without rules of their own follow.
  private let followed: Mutex<String>

  init(_ rules: RuleSet, _ databases: DatabaseRegistry, _ services: GatewayServices) {
    (self.databases, self.services) = (databases, services)
    followed = Mutex(rules.source)
  }

  /// Deploys rules to one database.
  func deploy(_ rules: RuleSet, to namespace: String, _ change: RulesChange) async throws(ServerError) {
    try await services.deploy(rules, to: try await services.openDatabase(namespace), change)
  }

  /// Deploys rules to the default database, to those that follow the same file, and to new ones.
  func deployFile(_ rules: RuleSet, _ change: RulesChange) async throws(ServerError) {
    let before = followed.withLock { text in
      let before = text
      text = rules.source
      return before
    }
    databases.setInitialRules(rules)
    for database in databases.openDatabases {
      let isFollowing =
        database.name == services.databases.defaultNamespace || database.published.rules.source == before
      if isFollowing { try await services.deploy(rules, to: database, change) }
    }
  }

  /// Opens the default database, which always exists; the rules file takes precedence over its stored rules.
  static func openDefault(
    _ options: HearthServer.Options, _ rules: RuleSet, _ services: GatewayServices
  ) async throws(ServerError) {
    let database = try await services.openDatabase(options.defaultNamespace)
    // Nodes of a cluster share the versions, and start at any time.
    if options.rules != nil, options.cluster == nil {
      try await services.recordFirst(rules, of: database, .file(options.rulesPath))
    }
    guard options.rules != nil, database.published.rules.source != rules.source else {
      return services.logger.logWarnings(of: database.published.rules, in: database.name)
    }
    try await services.deploy(rules, to: database, .file(options.rulesPath))
  }
}

extension GatewayServices {
  /// Returns a database, opened for the operator.
  func openDatabase(_ name: String) async throws(ServerError) -> Database {
    do {
      return try await databases.database(name, .byMode, on: router.anyLoop).get()
    } catch DatabaseProblem.unavailable(let cause) {
      throw ServerError(.storage, "cannot open the database \(name): \(cause)")
    } catch {
      throw ServerError(.unknownDatabase, "unknown database \(name)")
    }
  }

  /// Records the rules with which a new database began as its first version.
  fileprivate func recordFirst(
    _ rules: RuleSet, of database: Database, _ change: RulesChange
  ) async throws(ServerError) {
    guard database.published.rules.source == rules.source else { return }
    do throws(RESTFailure) {
      try await self.rules.recordFirst(of: database, change)
    } catch {
      throw ServerError(.storage, "the version of the rules cannot be recorded: \(error.text)")
    }
  }

  fileprivate func deploy(_ rules: RuleSet, to database: Database, _ change: RulesChange) async throws(ServerError) {
    do throws(RESTFailure) {
      try await self.rules.deploy(rules, to: database, change)
    } catch {
      throw ServerError(.storage, "the rules could not be put in force: \(error.text)")
    }
  }
}
