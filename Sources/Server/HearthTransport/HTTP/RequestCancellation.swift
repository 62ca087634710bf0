import Synchronization

/// A flag that the client no longer waits for a response, for work on another thread that has not begun.
package final class RequestCancellation: Sendable {
  private let flag = Atomic(false)

  /// Creates a flag that is not set.
  package init() {}

  /// True when the client no longer waits. Thread-safe.
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Sets the flag for good. Thread-safe.
  package func cancel() { flag.store(true, ordering: .relaxed) }
}
