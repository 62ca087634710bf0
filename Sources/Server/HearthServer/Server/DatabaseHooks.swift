import HearthDatabase
import Synchronization

/// The handlers of events of a server's databases.
final class DatabaseHooks: Sendable {
  private let outbox = Mutex<@Sendable (String) -> DatabaseOutbox?>({ _ in nil })
  private let opened = Mutex<@Sendable (Database) -> Void>({ _ in })
  private let ownershipChanged = Mutex<@Sendable (String, Bool) -> Void>({ _, _ in })
  private let unavailable = Mutex<@Sendable (String) -> Void>({ _ in })
  private let removed = Mutex<@Sendable () async -> Void>({})

  /// Sets the outboxes.
  ///
  /// - Parameter outbox: returns the outbox for the commits of a database; called when it is opened.
  func setOutboxes(_ outbox: @escaping @Sendable (_ name: String) -> DatabaseOutbox?) {
    self.outbox.withLock { $0 = outbox }
  }

  /// Sets the handler of opened databases.
  ///
  /// - Parameter work: called with each open database, before any request gets it.
  func whenOpened(_ work: @escaping @Sendable (Database) -> Void) { opened.withLock { $0 = work } }

  /// Sets the handler of ownership changes.
  ///
  /// - Parameter work: called with the name of a database that several servers follow, and true when this one is now
  ///   its owner.
  func whenOwnershipChanges(_ work: @escaping @Sendable (_ name: String, _ isOwner: Bool) -> Void) {
    ownershipChanged.withLock { $0 = work }
  }

  /// Sets the handler of interruptions.
  ///
  /// - Parameter work: called with the name of an open database that is not served for a while.
  func whenUnavailable(_ work: @escaping @Sendable (String) -> Void) { unavailable.withLock { $0 = work } }

  /// Sets the handler of removals.
  ///
  /// - Parameter work: called when a database is removed, before the response.
  func whenRemoved(_ work: @escaping @Sendable () async -> Void) { removed.withLock { $0 = work } }

  // MARK: Calls

  func outbox(of name: String) -> DatabaseOutbox? { outbox.withLock { $0 }(name) }

  func open(_ database: Database) { opened.withLock { $0 }(database) }

  /// Returns the current handler of ownership changes of a database.
  func ownershipHandler(of name: String) -> @Sendable (_ isOwner: Bool) -> Void {
    let handler = ownershipChanged.withLock { $0 }
    return { isOwner in handler(name, isOwner) }
  }

  func leave(_ name: String) { unavailable.withLock { $0 }(name) }

  func remove() async { await removed.withLock { $0 }() }
}
