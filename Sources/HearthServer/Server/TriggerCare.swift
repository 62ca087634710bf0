import HearthGateway

/// Removes dead letters of triggers that are too old or too much, at the start and once an hour.
final class TriggerCare: Sendable {
  private let task: Task<Void, Never>

  init(_ desk: TriggerDesk) {
    task = Task {
      while !Task.isCancelled {
        await ServerParts.onBlockingThread { desk.tidy() }
        try? await Task.sleep(for: .seconds(3_600))
      }
    }
  }

  func stop() { task.cancel() }
}
