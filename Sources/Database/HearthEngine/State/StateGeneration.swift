import Synchronization

/// A period of a database's versions. It is freed with the last of its versions, and of those of all periods before it:
/// then nothing refers any more to pages that only these versions had.
package final class StateGeneration: Sendable {
  /// The next period, which is held as long as this one.
  private let next = Mutex<StateGeneration?>(nil)

  /// Creates a period.
  package init() {}

  /// Begins the next period.
  package func end(with next: StateGeneration) { self.next.withLock { $0 = next } }

  /// A period that has ended, without holding it.
  package struct Former: Sendable {
    private weak let generation: StateGeneration?

    /// Names a period; nil for one that is not to be waited for.
    package init(_ generation: StateGeneration?) { self.generation = generation }

    /// True until all of its versions are freed.
    package var isHeld: Bool { generation != nil }
  }
}
