import HearthDatabase
import HearthJournal
import HearthRules
import HearthSQLite
import Logging
import NIOCore
import NIOPosix
import ServerTestKit
import Synchronization
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Tests of a server's databases when other servers create and remove them.
@Suite("databases that other servers remove")
struct DroppedDatabaseTests {
  /// The database names that all servers see, over journals of this server.
  private final class SharedNameJournals: JournalFactory {
    private let journals: SQLiteJournals
    private let found = Mutex<Set<String>>(["guests"])

    init(_ folder: String) { journals = SQLiteJournals(folder: folder) }

    func set(_ names: Set<String>) { found.withLock { $0 = names } }
    func open(_ name: String) throws(JournalError) -> OpenedJournal { try journals.open(name) }
    func names() throws(JournalError) -> [String] { found.withLock { Array($0) } }
    func remove(_ name: String) throws(JournalError) { try journals.remove(name) }
  }

  private let folder: TemporaryFolder
  private let names: SharedNameJournals
  private let loop = MultiThreadedEventLoopGroup.singleton.next()
  private let opened = Counter()

  private final class Counter: Sendable {
    let value = Mutex(0)
    var now: Int { value.withLock { $0 } }
  }

  init() throws {
    folder = try TemporaryFolder()
    names = SharedNameJournals(folder.path)
  }

  private func registry(
    createsOnUse: Bool = false, closing: @escaping @Sendable () -> Void = {}
  ) throws -> DatabaseRegistry {
    try DatabaseRegistry(
      journals: names, removed: RemovedDatabases(DataDirectory(path: folder.path), journals: names),
      defaultNamespace: "default", createsOnUse: createsOnUse, initialRules: .denyAll,
      opener: { [opened, names] name, rules, environment, limits in
        opened.value.withLock { $0 += 1 }
        return try Database(
          name: name, journals: names, initialRules: rules, environment: environment, limits: limits)
      },
      closer: { _, database, _ in
        closing()
        database.close()
        return true
      },
      isShared: true,
      environment: { _ in DatabaseEnvironment(clock: { SystemClock.now }, schedule: { _, _ in }, deliver: { _, _ in })
      },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func database(
    _ registry: DatabaseRegistry, _ creation: DatabaseCreation = .never
  ) -> EventLoopFuture<Database> { registry.database("guests", creation, on: loop) }

  private func problem(_ registry: DatabaseRegistry) async -> DatabaseProblem? {
    do {
      _ = try await database(registry).get()
      return nil
    } catch { return error as? DatabaseProblem }
  }

  @Test("a known database that is not open is not created again by a request")
  func knownAndGone() async throws {
    let registry = try registry()
    defer { registry.close() }
    names.set([])
    #expect(registry.exists("guests"), "nobody has looked")
    #expect(await problem(registry) == .unknown)
    #expect(!registry.exists("guests") && opened.now == 0)
    names.set(["guests"])
    #expect(await problem(registry) == nil && opened.now == 1)
  }

  @Test("removed names are forgotten, except those of open databases")
  func forgotten() async throws {
    let registry = try registry()
    defer { registry.close() }
    _ = try await database(registry).get()
    registry.note(["guests", "others", "not a name"])
    #expect(registry.names == ["guests", "others"])
    registry.note([])
    #expect(registry.names == ["guests"], "it is let go of by itself")
  }

  @Test(
    "a request during the closing of a database gets the next database of the name, or an error",
    arguments: [true, false])
  func dropped(existsAgain: Bool) async throws {
    let waiting = Mutex<EventLoopFuture<Database>?>(nil)
    let held = Mutex<DatabaseRegistry?>(nil)
    let registry = try registry(closing: { [self] in
      if let registry = held.withLock({ $0 }) { waiting.withLock { $0 = database(registry) } }
    })
    let old = try await database(registry).get()
    held.withLock { $0 = registry }
    if !existsAgain { names.set([]) }
    let forgotten = Counter()
    registry.drop("guests", existsAgain: existsAgain) { forgotten.value.withLock { $0 += 1 } }
    held.withLock { $0 = nil }
    let asked = try #require(waiting.withLock { $0 })
    if existsAgain {
      #expect(try await asked.get() !== old)
    } else {
      await #expect(throws: DatabaseProblem.unknown) { try await asked.get() }
      #expect(await problem(registry) == .unknown)
    }
    #expect(forgotten.now == 1 && registry.exists("guests") == existsAgain)
    registry.close()
  }
}
