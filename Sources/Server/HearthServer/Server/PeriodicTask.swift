/// A task that repeats work, with a pause between two rounds, until it is stopped.
struct PeriodicTask: Sendable {
  /// The time of the first round.
  enum Start {
    /// The first round runs at once, even if the task is stopped before.
    case atOnce
    case afterPause
  }

  private let task: Task<Void, Never>

  init(every pause: Duration, _ start: Start = .atOnce, _ round: @escaping @Sendable () async -> Void) {
    task = Task.detached(priority: .utility) {
      if start == .afterPause {
        try? await Task.sleep(for: pause)
        if Task.isCancelled { return }
      }
      repeat {
        await round()
        try? await Task.sleep(for: pause)
      } while !Task.isCancelled
    }
  }

  /// Stops the task after the current round.
  func stop() async {
    task.cancel()
    await task.value
  }
}
