import Synchronization

/// The word that nobody waits for an answer any more, for whoever is about to work on it on another thread.
package final class Abandonment: Sendable {
  private let flag = Atomic(false)

  package init() {}

  package var isDeclared: Bool { flag.load(ordering: .relaxed) }

  package func declare() { flag.store(true, ordering: .relaxed) }
}
