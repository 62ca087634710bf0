import Foundation
import Synchronization
import Testing

@testable import HearthClient

/// Tests of the log that all databases of a process share. No server listens at the port.
@Suite(.serialized) struct LogTests {
  /// Runs `body` and restores the log. Lines of other tests may be among those received.
  private func with(_ body: (Lines) async throws -> Void) async rethrows {
    let before = DatabaseLog.sink.withLock { $0 }
    defer { DatabaseLog.sink.withLock { $0 = before } }
    let lines = Lines()
    Database.setLogHandler { level, text in lines.add("\(level) \(text)") }
    try await body(lines)
  }

  /// Causes a warning: a database without an available credential tries to connect, twice.
  private func warn(_ name: String) async throws {
    let credentials = FailingCredential(name)
    let database = Database.database(
      app: AuthFixture.app(), url: "http://127.0.0.1:1/?ns=log", credentials: credentials)
    defer { database.shutDown() }
    database.configureConnections { DatabaseFixture.configure(&$0, over: .plain) }
    database.goOnline()
    try await AuthFixture.until { credentials.askedCount >= 2 }
  }

  @Test("warnings are logged, and messages below the level are not")
  func level() async throws {
    try await with { lines in
      #expect(Database.logLevel == .warning)
      try await warn("first")
      #expect(lines.all.contains { $0.hasPrefix("warning ") && $0.contains("no first") })
      Database.logLevel = .off
      try await warn("second")
      #expect(!lines.all.contains { $0.contains("no second") })
      Database.logLevel = .info
      #expect(Database.logLevel == .info)
      try await warn("third")
      #expect(lines.all.contains { $0.contains("no third") })
    }
  }

  @Test("with logging enabled every step of a connection is logged, and then no more")
  func enabled() async throws {
    try await with { lines in
      Database.setLoggingEnabled(true)
      #expect(Database.logLevel == .debug)
      try await warn("fourth")
      #expect(lines.all.contains { $0.hasPrefix("debug ") })
      Database.setLoggingEnabled(false)
      #expect(Database.logLevel == .warning)
    }
  }
}

/// A credential provider that always fails.
private final class FailingCredential: CredentialProvider {
  private struct Failure: Error, CustomStringConvertible { var description: String }
  private let name: String
  private let asked = Mutex(0)

  init(_ name: String) { self.name = name }

  var askedCount: Int { asked.withLock { $0 } }
  var currentUserID: String? { nil }

  func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void
  ) {
    asked.withLock { $0 += 1 }
    completion(.failure(Failure(description: "no \(name)")))
  }

  func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int { 0 }
  func removeCredentialListener(_ handle: Int) {}
  func connectionReported(_ report: CredentialReport) {}
}
