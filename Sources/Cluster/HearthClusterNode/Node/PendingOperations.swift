import Synchronization

/// A node's pending operations with other nodes, so that none runs twice at the same time.
final class PendingOperations: Sendable {
  /// The kind of an operation, each of which runs once at a time for a database.
  enum Kind: Hashable {
    /// Another node is asked to open a database without an owner.
    case seeking
    /// The database is handed over to another node.
    case moving
    /// Another node is asked to follow the database.
    case standby
  }

  private struct Operation: Hashable {
    var kind: Kind
    var journal: String
  }

  private let current = Mutex<Set<Operation>>([])

  /// Returns true when the caller has to perform the operation, and ends it with ``end(_:_:)``.
  func begin(_ kind: Kind, _ journal: String) -> Bool {
    current.withLock { $0.insert(Operation(kind: kind, journal: journal)).inserted }
  }

  func end(_ kind: Kind, _ journal: String) {
    current.withLock { _ = $0.remove(Operation(kind: kind, journal: journal)) }
  }

  /// Returns the number of pending operations of a kind.
  func count(_ kind: Kind) -> Int { current.withLock { $0.count { $0.kind == kind } } }
}
