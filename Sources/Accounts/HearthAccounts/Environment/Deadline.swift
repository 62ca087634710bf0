import Synchronization

/// Time limits for asynchronous work.
enum Deadline {
  /// Returns the work's result, or nil when it threw or timed out. Work that ignores its cancellation continues, and
  /// its result is dropped.
  static func run<Value: Sendable>(
    milliseconds: Int64, _ work: @escaping @Sendable () async throws -> Value
  ) async -> Value? {
    let race = Race<Value>()
    return await withCheckedContinuation { continuation in
      race.begin(continuation)
      let task = Task(executorPreference: AccountsExecutor.shared) {
        let value = try? await work()
        race.finish(value)
      }
      let timer = Task(executorPreference: AccountsExecutor.shared) {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        if race.finish(nil) { task.cancel() }
      }
      race.onFinish { timer.cancel() }
    }
  }
}

/// Resumes a continuation once: with the result or at the deadline, whichever is first.
private final class Race<Value: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Value?, Never>?
    var isFinished = false
    var after: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func begin(_ continuation: CheckedContinuation<Value?, Never>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Runs the work once there is a result, at once when there is one already.
  func onFinish(_ work: @escaping @Sendable () -> Void) {
    let isFinished = state.withLock { state in
      if !state.isFinished { state.after = work }
      return state.isFinished
    }
    if isFinished { work() }
  }

  /// Finishes with the value; returns true for the first call only.
  @discardableResult
  func finish(_ value: Value?) -> Bool {
    let (continuation, after) = state.withLock { state in
      defer {
        state.continuation = nil
        state.after = nil
        state.isFinished = true
      }
      return (state.continuation, state.after)
    }
    after?()
    continuation?.resume(returning: value)
    return continuation != nil
  }
}
