import Dispatch

/// A blocking call on its own thread, because the few threads of the cooperative pool must not wait for a gate.
package struct BlockingCall<Value: Sendable>: Sendable {
  private let results: AsyncStream<Result<Value, any Error>>

  /// Starts the call.
  package init(_ body: @escaping @Sendable () throws -> Value) {
    let (stream, continuation) = AsyncStream<Result<Value, any Error>>.makeStream()
    results = stream
    DispatchQueue(label: "hearth.blocking-call").async {
      continuation.yield(Result { try body() })
      continuation.finish()
    }
  }

  /// Waits for the call and returns its result.
  ///
  /// - Throws: The error of the call.
  package func value() async throws -> Value {
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}
