import Synchronization

/// A serial queue for background work, run in the order of its arrival; no caller waits for it.
final class WorkQueue: Sendable {
  typealias Work = @Sendable () async -> Void

  private struct State {
    var waiting: [Work] = []
    var isRunning = false
    var onIdle: [CheckedContinuation<Void, Never>] = []
  }

  private let waitingMax: Int
  /// Runs the block soon, on any thread.
  private let start: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - waitingMax: the length of the queue.
  ///   - start: when a pause in the work ends, runs the block soon, on any thread.
  init(
    waitingMax: Int, start: @escaping @Sendable (_ block: @escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.waitingMax = waitingMax
    self.start = start
  }

  /// Adds work and returns at once; false when the queue is full.
  func add(_ work: @escaping Work) -> Bool {
    enum Decision { case start, wait, full }
    let decision = state.withLock { state -> Decision in
      guard state.waiting.count < waitingMax else { return .full }
      state.waiting.append(work)
      if state.isRunning { return .wait }
      state.isRunning = true
      return .start
    }
    if decision == .start { start { Task(executorPreference: AccountsExecutor.shared) { await self.run() } } }
    return decision != .full
  }

  /// Waits until the queue is empty.
  func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isRunning { state.onIdle.append(continuation) }
        return !state.isRunning
      }
      if isIdle { continuation.resume() }
    }
  }

  private func run() async {
    while let work = next() { await work() }
  }

  private func next() -> Work? {
    let (work, idle) = state.withLock { state -> (Work?, [CheckedContinuation<Void, Never>]) in
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
      defer { state.onIdle = [] }
      state.isRunning = false
      return (nil, state.onIdle)
    }
    for continuation in idle { continuation.resume() }
    return work
  }
}
