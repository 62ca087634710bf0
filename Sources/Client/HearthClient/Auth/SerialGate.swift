import Synchronization

/// Lets one piece of work run after another, in the order in which they came. Work that was begun is finished, whether
/// or not its caller still waits: what a server did must be taken note of.
final class SerialGate: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = last.withLock { last in
      let before = last
      let task = Task {
        await before?.value
        return try await work()
      }
      last = Task { _ = await task.result }
      return task
    }
    return try await task.value
  }
}
