import Dispatch

/// A blocking call on a thread of its own: the few threads that tasks share must not wait for a gate.
package struct BlockingCall<Value: Sendable>: Sendable {
  private let results: AsyncStream<Result<Value, any Error>>

  /// Begins the call.
  package init(_ body: @escaping @Sendable () throws -> Value) {
    let (stream, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
    results = stream
    DispatchQueue(label: "hearth.blocking-call").async {
      continuation.yield(Result { try body() })
      continuation.finish()
    }
  }

  /// What the call returned.
  ///
  /// - Throws: What it threw.
  package func value() async throws -> Value {
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}
