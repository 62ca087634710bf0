import Dispatch
import Synchronization

/// A gate for calls: they pass while it is open and wait while it is closed, like calls to a slow disk that the test
/// controls.
package final class JournalGate: Sendable {
  private struct State {
    var isClosed = false
    var waiting: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  /// Creates an open gate.
  package init() {}

  /// The number of waiting calls.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Closes the gate: calls wait from now on.
  package func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Opens the gate; waiting calls pass first.
  package func open() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isClosed = false
      return state.waiting
    }
    for semaphore in waiting {
      semaphore.signal()
    }
  }

  /// Waits until the gate is open.
  func pass() {
    let semaphore = state.withLock { state -> DispatchSemaphore? in
      guard state.isClosed else { return nil }
      let semaphore = DispatchSemaphore(value: 0)
      state.waiting.append(semaphore)
      return semaphore
    }
    semaphore?.wait()
  }
}
