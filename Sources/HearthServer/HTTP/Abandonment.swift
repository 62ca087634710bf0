import Synchronization

/// The word that nobody waits for an answer any more, for whoever is about to work on it on another thread.
final class Abandonment: Sendable {
  private let flag = Atomic(false)

  var isDeclared: Bool { flag.load(ordering: .relaxed) }

  func declare() { flag.store(true, ordering: .relaxed) }
}
