import HearthTree

/// The writes in flight of users that are no longer signed in; only their outcomes are still to be reported.
final class FormerUserWrites {
  /// The failure of an operation that ends because its user changed.
  static let userChanged = SyncFailure("user_changed", "another user signed in before the server had answered")
  private static let waitsForUser = SyncFailure("user_changed", "the write waits in the store of the user who made it")

  /// A write in flight.
  enum Entry {
    /// A set or an update, with the storage in which it is kept; nil when it is not stored.
    case write(WriteQueue.Entry, PersistenceManager?)
    /// Transactions, each with its output.
    case transactions([(OperationID, Node)])
  }

  private let events: EventRecorder
  private var entries: [Int: Entry] = [:]

  init(events: EventRecorder) { self.events = events }

  /// Returns the failure of a set or an update whose outcome stays unknown to the app.
  static func failure(storage: PersistenceManager?) -> SyncFailure { storage == nil ? userChanged : waitsForUser }

  /// Adds a sent write of the user that is signed out.
  func add(_ id: Int, _ entry: Entry) { entries[id] = entry }

  /// Removes and returns a write whose user has signed in again; nil when there is no write with this ID and storage.
  func reclaim(_ write: Int, of storage: PersistenceManager?) -> (id: Int, entry: WriteQueue.Entry)? {
    for (id, entry) in entries {
      guard case .write(let made, let owner?) = entry, owner.isSame(as: storage), case .operation(_, write) = made.owner
      else { continue }
      entries[id] = nil
      return (id, made)
    }
    return nil
  }

  /// Handles the reply to a write; returns false when the write does not belong to a former user.
  func finish(_ id: Int, _ reply: SyncReply) -> Bool {
    switch entries.removeValue(forKey: id) {
    case .write(let write, let storage)?:
      guard case .operation(let operation, let id) = write.owner else { return true }
      storage?.settle(id, [])
      if let operation { events.raise(.completed(operation, reply.failure)) }
    case .transactions(let transactions)?:
      for (operation, output) in transactions {
        // A transaction is not repeated for another user.
        let failure = reply.failure.map { $0.status == "datastale" ? Self.userChanged : $0 }
        events.raise(.transactionCompleted(operation, failure.map { .failed($0, nil) } ?? .committed(output)))
      }
    case nil: return false
    }
    return true
  }

  /// Ends all writes, because the connection was lost and their outcomes stay unknown.
  func disconnect() {
    let lost = entries.sorted { $0.key < $1.key }
    entries = [:]
    for (_, entry) in lost {
      switch entry {
      case .write(let write, let storage):
        guard case .operation(let operation?, _) = write.owner else { continue }
        events.raise(.completed(operation, Self.failure(storage: storage)))
      case .transactions(let transactions):
        for (operation, _) in transactions {
          events.raise(.transactionCompleted(operation, .failed(Self.userChanged, nil)))
        }
      }
    }
  }
}
