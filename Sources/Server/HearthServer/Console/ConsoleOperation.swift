import HearthCrypto
import HearthTransport
import NIOCore
import NIOHTTP1

/// A row of the list of the console's own operations, with the permission that each needs.
struct ConsoleOperation: Sendable {
  /// The implementation of an operation: synchronous, or asynchronous.
  enum Work: Sendable {
    case now(@Sendable (ConsoleContext) throws(ConsoleFailure) -> HTTPResponse)
    /// Gets the path after `/.console/api/`.
    case later(@Sendable (ConsoleContext, _ name: String) async throws(ConsoleFailure) -> HTTPResponse)
    /// Returns a future of the response.
    case answer(@Sendable (ConsoleContext, _ name: String) -> EventLoopFuture<HTTPResponse>)
  }

  let name: String
  /// True when the path continues behind the name.
  let isPrefix: Bool
  /// The method of the operation; nil for every method.
  let method: HTTPMethod?
  let requirement: Requirement
  let work: Work

  init(_ name: String, _ method: HTTPMethod?, _ requirement: Requirement, _ work: Work, isPrefix: Bool = false) {
    (self.name, self.method, self.requirement, self.work, self.isPrefix) = (name, method, requirement, work, isPrefix)
  }

  func isFor(_ path: String) -> Bool { isPrefix ? path.hasPrefix(name) : path == name }

  /// The list of operations, by name and method. A new operation is a line here.
  static let all: [ConsoleOperation] = [
    .now("session", .GET, .consoleSession, ConsoleSessionEndpoints.shown),
    .later("session", .POST, .nothing, ConsoleSessionEndpoints.signIn),
    .later("session", .DELETE, .consoleSession, ConsoleSessionEndpoints.signOut),
    .later("session/presence", .POST, .consoleSession, ConsoleSessionEndpoints.recordPresence),
    .now("databases", .GET, .permission(.readDatabases), ConsoleDatabaseEndpoints.databases),
    .later("credential", .POST, .permission(.readDatabases), ConsoleDatabaseEndpoints.credential),
    .later("outline", .GET, .permission(.readDatabases), ConsoleDatabaseEndpoints.outline),
    .later("download", .POST, .permission(.readDatabases), ConsoleDownloadEndpoints.makeDownload),
    // The key in the path belongs to a session, and is valid with its cookie.
    .answer(ConsoleDownloads.prefix, .GET, .nothing, ConsoleDownloadEndpoints.download, isPrefix: true),
    .answer("events", .GET, .permission(.readDatabases), ConsoleEventsEndpoint.events),
    .later("rules/coverage", .GET, .permission(.readDatabases), ConsoleRulesEndpoints.coverage),
    .later("rules/check", .POST, .permission(.readDatabases), ConsoleRulesEndpoints.checkRules),
    .later("rules/forecast", .POST, .permission(.readDatabases), ConsoleForecastEndpoint.forecast),
    .later("try", .POST, .permission(.readDatabases), ConsoleTryEndpoint.tryRules),
    .later(
      ConsoleDenialEndpoint.prefix, .GET, .permission(.readDatabases), ConsoleDenialEndpoint.denial, isPrefix: true),
    .now("now/figures", .GET, .permission(.readServer), ConsoleServerEndpoints.figures),
    .later("now/connections", .GET, .permission(.readServer), ConsoleServerEndpoints.connections),
    .later("now/listens", .GET, .permission(.readServer), ConsoleServerEndpoints.listens),
    .now("now/log", .GET, .permission(.readServer), ConsoleServerEndpoints.logLines),
    .later("now/state", .GET, .permission(.readServer), ConsoleServerEndpoints.state),
    .now("now/doctor", .GET, .permission(.readServer), ConsoleServerEndpoints.lastExamination),
    .now("now/doctor", .POST, .permission(.readServer), ConsoleServerEndpoints.examine),
    .later("now/backups", .GET, .permission(.readServer), ConsoleServerEndpoints.backups),
    .later("now/backups", .POST, .permission(.changeServer), ConsoleServerEndpoints.makeBackup),
    .later("now/disconnect", .POST, .permission(.endSessions), ConsoleServerEndpoints.disconnect),
    .later("people", .GET, .permission(.readUsers), ConsoleAccountEndpoints.people),
    .later("people/one", .GET, .permission(.readUsers), ConsoleAccountEndpoints.person),
    .answer(ConsoleProxy.prefix, nil, .ofItsOperations, ConsoleProxyEndpoint.relay, isPrefix: true),
  ]
}

extension ConsoleOperation {
  private static func now<Endpoints: ConsoleEndpoints>(
    _ name: String, _ method: HTTPMethod?, _ requirement: Requirement,
    _ work: @escaping @Sendable (Endpoints) -> () throws(ConsoleFailure) -> HTTPResponse
  ) -> ConsoleOperation {
    ConsoleOperation(
      name, method, requirement, .now { context throws(ConsoleFailure) in try work(Endpoints(context: context))() })
  }

  private static func later<Endpoints: ConsoleEndpoints>(
    _ name: String, _ method: HTTPMethod?, _ requirement: Requirement,
    _ work: @escaping @Sendable (Endpoints) -> @Sendable () async throws(ConsoleFailure) -> HTTPResponse
  ) -> ConsoleOperation {
    ConsoleOperation(
      name, method, requirement,
      .later { (context, _) async throws(ConsoleFailure) in try await work(Endpoints(context: context))() })
  }

  private static func later<Endpoints: ConsoleEndpoints>(
    _ name: String, _ method: HTTPMethod?, _ requirement: Requirement,
    _ work: @escaping @Sendable (Endpoints) -> @Sendable (String) async throws(ConsoleFailure) -> HTTPResponse,
    isPrefix: Bool
  ) -> ConsoleOperation {
    ConsoleOperation(
      name, method, requirement,
      .later { (context, name) async throws(ConsoleFailure) in try await work(Endpoints(context: context))(name) },
      isPrefix: isPrefix)
  }

  private static func answer<Endpoints: ConsoleEndpoints>(
    _ name: String, _ method: HTTPMethod?, _ requirement: Requirement,
    _ work: @escaping @Sendable (Endpoints) -> (String) -> EventLoopFuture<HTTPResponse>, isPrefix: Bool = false
  ) -> ConsoleOperation {
    ConsoleOperation(
      name, method, requirement, .answer { context, name in work(Endpoints(context: context))(name) },
      isPrefix: isPrefix)
  }
}
