import Dispatch

/// A thread for work that waits for files.
enum BlockingThread {
  /// Runs the work on a thread on which no other work waits.
  static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, Failure>, Never>) in
      DispatchQueue.global().async { done.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }
}
