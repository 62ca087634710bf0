import Dispatch

/// Where work runs that waits for files.
enum BlockingThread {
  /// Runs it where nobody else waits for it.
  static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, Failure>, Never>) in
      DispatchQueue.global().async { done.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }
}
