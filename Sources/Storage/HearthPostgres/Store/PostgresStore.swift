import HearthCluster
import HearthJournal
import Synchronization

/// The journals of all collections in one PostgreSQL database, and the connection whose lock marks them as in use.
final class PostgresStore: ClusterJournalStore {
  /// The prefix of the names of staged journals, until ``publish(_:)``.
  private static let workCollection = "moving/"

  private let engine: PostgresEngine
  private let presence = Mutex<PostgresPresence?>(nil)

  /// Connects to a server.
  ///
  /// - Throws: The errors of ``PostgresEngine``.
  init(url: String) throws(JournalError) { engine = try PostgresEngine(PostgresAddress(url)) }

  var product: String { JournalEngine.postgres.product }
  var address: String { engine.address.description }
  var warnings: [String] { engine.warnings }

  func factory(_ collection: String) -> any JournalFactory { engine.journals(collection) }

  /// Returns an archive of all collections, so that a backup of them is consistent.
  func archive(of collections: [String]) -> any JournalArchive { engine.archive("") }

  func lock(for use: JournalStoreUse) throws(JournalError) {
    let isShared = if case .node = use { true } else { false }
    let presence = try PostgresPresence(engine, isShared: isShared)
    try presence.waitUntilAlone()
    if case .copy = use {
      let nodes = try engine.livingNodes()
      guard nodes.isEmpty else {
        throw JournalError(
          .inUse, "a cluster uses \(address); stop its nodes first: \(nodes.joined(separator: ", "))")
      }
    }
    self.presence.withLock { $0 = presence }
  }

  var checkPauseSeconds: Int? { PostgresLimits.checkPauseSeconds }

  func check() -> JournalStoreState { presence.withLock { $0 }?.check() ?? .alone }

  func removeLeftovers() throws(JournalError) { try engine.removeLeftovers() }

  func shortenTimeouts() { engine.shortenTimeouts() }

  func close() {
    presence.withLock { $0 }?.close()
    engine.close()
  }

  func clusterCatalog(
    address: String, timing: ClusterTiming, report: @escaping @Sendable (JournalError) -> Void
  ) throws(JournalError) -> any ClusterCatalog {
    try PostgresClusterStore(engine, address: address, timing: timing, report: report)
  }

  // MARK: Moving to another store

  func stage() throws(JournalError) -> any JournalArchive {
    for collection in [Self.workCollection, "restoring/" + Self.workCollection] {
      let journals = engine.journals(collection)
      for name in try journals.names() { try journals.remove(name) }
    }
    return engine.archive(Self.workCollection)
  }

  /// Gives all staged journals their final names in one step.
  func publish(_ names: [String]) throws(JournalError) { try engine.rename(Self.workCollection, to: "") }

  var occupiedAdvice: String {
    "name another PostgreSQL database, or remove them there with DROP SCHEMA hearth CASCADE"
  }
}
