/// Work that is done again and again, with a pause between two rounds, until it is stopped.
struct PeriodicTask: Sendable {
  /// When the first round begins.
  enum Start {
    /// At once; it is made even if the task is stopped before.
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

  /// Ends it once a round that has begun is through.
  func stop() async {
    task.cancel()
    await task.value
  }
}
