/// A queue of asynchronous work that runs in order, one piece at a time. Started work is finished even when its caller
/// no longer waits, because its effect on the server must be recorded.
final class SerialTaskQueue: Sendable {
  private let last = LockedValue<Task<Void, Never>?>(nil)

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
