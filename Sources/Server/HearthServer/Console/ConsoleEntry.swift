import HearthCrypto
import HearthTransport
import NIOCore
import NIOHTTP1

/// A row of the list of the console's own operations, with the permission that each needs.
struct ConsoleEntry: Sendable {
  /// The implementation of an operation: synchronous, or asynchronous.
  enum Work: Sendable {
    case now(@Sendable (ConsoleOperation) -> () throws(ConsoleFailure) -> HTTPResponse)
    case later(@Sendable (ConsoleOperation) -> @Sendable () async throws(ConsoleFailure) -> HTTPResponse)
    /// An operation that makes the response itself; it gets the path behind `/.console/api/`.
    case answer(@Sendable (ConsoleOperation) -> (String) -> EventLoopFuture<HTTPResponse>)
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
  static let all: [ConsoleEntry] = [
    ConsoleEntry("session", .GET, .consoleSession, .now(ConsoleOperation.shown)),
    ConsoleEntry("session", .POST, .nothing, .later(ConsoleOperation.signIn)),
    ConsoleEntry("session", .DELETE, .consoleSession, .later(ConsoleOperation.signOut)),
    ConsoleEntry("session/presence", .POST, .consoleSession, .later(ConsoleOperation.showPresence)),
    ConsoleEntry("databases", .GET, .permission(.readDatabases), .now(ConsoleOperation.databases)),
    ConsoleEntry("credential", .POST, .permission(.readDatabases), .later(ConsoleOperation.credential)),
    ConsoleEntry("outline", .GET, .permission(.readDatabases), .later(ConsoleOperation.outline)),
    ConsoleEntry("download", .POST, .permission(.readDatabases), .later(ConsoleOperation.makeDownload)),
    // The key in the path belongs to a session, and is valid with its cookie.
    ConsoleEntry(ConsoleDownloads.prefix, .GET, .nothing, .answer(ConsoleOperation.download), isPrefix: true),
    ConsoleEntry("events", .GET, .permission(.readDatabases), .answer { operation in { _ in operation.events() } }),
    ConsoleEntry("rules/coverage", .GET, .permission(.readDatabases), .later(ConsoleOperation.coverage)),
    ConsoleEntry("rules/check", .POST, .permission(.readDatabases), .later(ConsoleOperation.checkRules)),
    ConsoleEntry("rules/forecast", .POST, .permission(.readDatabases), .later(ConsoleOperation.forecast)),
    ConsoleEntry("try", .POST, .permission(.readDatabases), .later(ConsoleOperation.tryRules)),
    ConsoleEntry(
      ConsoleOperation.denialPrefix, .GET, .permission(.readDatabases), .answer(ConsoleOperation.denialAnswer),
      isPrefix: true),
    ConsoleEntry("now/figures", .GET, .permission(.readServer), .now(ConsoleOperation.figures)),
    ConsoleEntry("now/connections", .GET, .permission(.readServer), .later(ConsoleOperation.connections)),
    ConsoleEntry("now/listens", .GET, .permission(.readServer), .later(ConsoleOperation.listens)),
    ConsoleEntry("now/log", .GET, .permission(.readServer), .now(ConsoleOperation.logLines)),
    ConsoleEntry("now/state", .GET, .permission(.readServer), .later(ConsoleOperation.state)),
    ConsoleEntry("now/doctor", .GET, .permission(.readServer), .now(ConsoleOperation.lastExamination)),
    ConsoleEntry("now/doctor", .POST, .permission(.readServer), .now(ConsoleOperation.examine)),
    ConsoleEntry("now/backups", .GET, .permission(.readServer), .later(ConsoleOperation.backups)),
    ConsoleEntry("now/backups", .POST, .permission(.changeServer), .later(ConsoleOperation.makeBackup)),
    ConsoleEntry("now/disconnect", .POST, .permission(.endSessions), .later(ConsoleOperation.disconnect)),
    ConsoleEntry("people", .GET, .permission(.readUsers), .later(ConsoleOperation.people)),
    ConsoleEntry("people/one", .GET, .permission(.readUsers), .later(ConsoleOperation.person)),
    ConsoleEntry(ConsoleProxy.prefix, nil, .ofItsOperations, .answer(ConsoleOperation.throughDoor), isPrefix: true),
  ]
}
