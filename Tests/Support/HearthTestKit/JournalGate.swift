import Dispatch
import Synchronization

/// Lets calls through while it is open and makes them wait while it is closed: a slow disk under a test's control.
package final class JournalGate: Sendable {
  private struct State {
    var isClosed = false
    var waiting: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  /// An open gate.
  package init() {}

  /// The number of calls that wait.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Makes calls wait from now on.
  package func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Lets everybody through, those who wait first.
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

  /// Returns when the gate is open.
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
