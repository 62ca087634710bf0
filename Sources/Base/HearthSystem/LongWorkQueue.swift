import Dispatch
import Synchronization

/// A serial queue of long computations. They run on a thread of lower priority, which exists only while there are any.
package final class LongWorkQueue: Sendable {
  private struct State {
    var items: [@Sendable () -> Void] = []
    /// True while a thread runs the items.
    var isRunning = false
    var isSuspended = false

    /// Returns true when a thread has to be started.
    mutating func needsThread() -> Bool {
      guard !isRunning, !isSuspended, !items.isEmpty else { return false }
      isRunning = true
      return true
    }
  }

  private let state = Mutex(State())

  /// Creates an empty queue.
  package init() {}

  /// Runs the work after all earlier work.
  package func async(_ work: @escaping @Sendable () -> Void) {
    start { $0.items.append(work) }
  }

  /// Holds back the work that has not begun.
  package func suspend() { state.withLock { $0.isSuspended = true } }

  /// Ends ``suspend()``.
  package func resume() { start { $0.isSuspended = false } }

  /// Waits until all earlier work is done. It must not be called from work of this queue.
  package func wait() {
    let done = DispatchSemaphore(value: 0)
    async { done.signal() }
    done.wait()
  }

  /// Changes the state, and starts a thread when there is work without one.
  private func start(_ change: (inout State) -> Void) {
    let needsThread = state.withLock { state in
      change(&state)
      return state.needsThread()
    }
    guard needsThread, !WorkerThread.run({ [self] in runAll() }) else { return }
    // The system has no room for another thread.
    DispatchQueue.global(qos: .utility).async { [self] in runAll() }
  }

  private func runAll() {
    while let work = next() { work() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.items.isEmpty, !state.isSuspended else {
        state.isRunning = false
        return nil
      }
      return state.items.removeFirst()
    }
  }
}
