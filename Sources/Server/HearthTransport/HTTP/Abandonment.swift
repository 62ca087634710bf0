import Synchronization

/// The word that nobody waits for an answer any more, for whoever is about to work on it on another thread.
package final class Abandonment: Sendable {
  private let flag = Atomic(false)

  /// Somebody waits.
  package init() {}

  /// True when nobody waits any more. From any thread.
  package var isDeclared: Bool { flag.load(ordering: .relaxed) }

  /// Says so, for good. From any thread.
  package func declare() { flag.store(true, ordering: .relaxed) }
}
