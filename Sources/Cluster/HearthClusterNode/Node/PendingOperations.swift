import Synchronization

/// What a node has under way with others, so that nothing is begun twice.
final class PendingOperations: Sendable {
  /// A kind of errand, each of which is done for a database once at a time.
  enum Kind: Hashable {
    /// Another node is asked to own it.
    case seeking
    /// It is being given to another node.
    case moving
    /// Another node is asked to follow it.
    case standby
  }

  private struct Errand: Hashable {
    var kind: Kind
    var journal: String
  }

  private let current = Mutex<Set<Errand>>([])

  /// Returns true when it is this caller's to do; ended by ``end(_:_:)``.
  func begin(_ kind: Kind, _ journal: String) -> Bool {
    current.withLock { $0.insert(Errand(kind: kind, journal: journal)).inserted }
  }

  func end(_ kind: Kind, _ journal: String) {
    current.withLock { _ = $0.remove(Errand(kind: kind, journal: journal)) }
  }

  /// How many of a kind are under way.
  func count(_ kind: Kind) -> Int { current.withLock { $0.count { $0.kind == kind } } }
}
