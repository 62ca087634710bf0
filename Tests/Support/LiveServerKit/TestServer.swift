import Foundation
import HearthAccounts
import HearthCrypto
import HearthDatabase
import HearthPlugin
import HearthTransport
import Logging
import ServerTestKit
import Synchronization

@testable import HearthGateway
@testable import HearthServer

/// A test server with its own data folder and a readable log.
package struct TestServer: Sendable {
  /// The started server.
  package let server: HearthServer
  /// The recorder of all log lines.
  package let log = LogRecorder()
  /// The path of the data folder.
  package let directory: String
  /// The recorder of sent mails.
  package let mailer: TestMailer
  /// The temporary folder, which is removed with its last reference.
  private let folder: TemporaryFolder

  /// Starts a server.
  ///
  /// - Parameter other: A stopped server whose data folder the new one takes over.
  package init(
    rules: String? = nil, mode: HearthServer.Options.Mode = .serve, isEmulator: Bool = false,
    ioThreadCount: Int = 2, memory: ClientMemory? = nil, in other: TestServer? = nil,
    configure: (inout HearthServer.Options) -> Void = { _ in }
  ) async throws {
    folder = try other?.folder ?? TemporaryFolder()
    directory = folder.path + "/data"
    if other == nil {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
      try FileManager.default.copyItem(atPath: try Self.keyFolder.get().path, toPath: directory + "/keys")
    }
    let recorder = log
    mailer = TestMailer()
    var options = HearthServer.Options(
      dataDirectory: directory, port: 0, rules: rules, mode: mode, accounts: Self.accounts(isEmulator: isEmulator),
      plugins: PluginSet(providers: Self.providers, mailer: mailer),
      logger: Logger(label: "test") { _ in recorder })
    if Self.isPaged { Self.evictEverything(&options) }
    options.ioThreadCount = ioThreadCount
    options.memory = memory
    configure(&options)
    server = HearthServer(options: options)
    try await server.start()
  }

  /// True when the databases of all test servers keep no page in memory: `HEARTH_PAGED` is in the environment.
  package static let isPaged = ProcessInfo.processInfo.environment["HEARTH_PAGED"] != nil

  /// Lets databases write a checkpoint after each commit, and keep no page in memory.
  package static func evictEverything(_ options: inout HearthServer.Options) {
    options.pages = PageCache(sizeBytes: 0)
    options.databaseLimits.pagedBytesMin = 0
    options.databaseLimits.snapshotIntervalBytes = 1
    options.databaseLimits.checkpointPauseFactor = 0
  }

  /// A key folder for all test servers, because making a key pair takes longer than most tests.
  package static let keyFolder = Result {
    let folder = try TemporaryFolder()
    try KeyStore(directory: folder.path).makeKeys()
    return folder
  }

  /// Runs `body` with a server, and stops it in any case.
  package static func with(
    rules: String? = nil, mode: HearthServer.Options.Mode = .serve, isEmulator: Bool = false, ioThreadCount: Int = 2,
    memory: ClientMemory? = nil, configure: (inout HearthServer.Options) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    let test = try await TestServer(
      rules: rules, mode: mode, isEmulator: isEmulator, ioThreadCount: ioThreadCount, memory: memory,
      configure: configure)
    do { try await body(test) } catch {
      await test.server.stop()
      throw error
    }
    await test.server.stop()
  }

  /// Sign-in providers for passwords, guests, custom tokens, and two others.
  private static var providers: [any SignInProvider] {
    [
      TestPasswords(), TestAnonymous(), TestCustomTokens(), TestIdentities(id: "google.com"),
      TestIdentities(id: "github.com"),
    ]
  }

  /// A configuration with cheap password hashes, and with links to a host name.
  private static func accounts(isEmulator: Bool) -> AccountsConfiguration {
    var configuration = AccountsConfiguration(projectID: "hearth", publicURL: "https://auth.example.com")
    configuration.passwordCost = .developer
    configuration.authorizedDomains = ["localhost", "app.example"]
    configuration.isEmulator = isEmulator
    return configuration
  }

  /// The port on 127.0.0.1 at which it listens.
  package var port: Int { server.boundPort ?? 0 }
  /// The server's keys.
  package var keys: KeyStore { get throws { try KeyStore(directory: directory + "/keys", createsMissing: false) } }
  /// The administrator's access token.
  package var adminToken: String { get throws { try keys.adminToken } }
  /// A legacy secret, with which a client is the database's administrator.
  package var secret: String { get throws { try keys.legacySecrets.active[0] } }

  /// Returns a legacy token for the database.
  package func token(uid: String, lifeSeconds: Int64 = 3600) throws -> String {
    let now = Int64(time(nil))
    return try LegacyTokenMinter(secrets: try keys.legacySecrets).mint(
      uid: uid, issuedAtSeconds: now, options: .init(expiresAtSeconds: now + lifeSeconds))
  }

  /// Runs work with a token that expires within seconds, or later when the machine is too busy for that.
  package func withBriefToken<Value>(uid: String, _ work: (String) throws -> Value) throws -> Value {
    for lifeSeconds in [2, 8] as [Int64] {
      let begin = Int64(time(nil))
      do {
        return try work(try token(uid: uid, lifeSeconds: lifeSeconds))
      } catch {
        guard Int64(time(nil)) >= begin + lifeSeconds else { throw error }
      }
    }
    return try work(try token(uid: uid, lifeSeconds: 32))
  }
}
