import NIOCore
import NIOPosix

enum BenchLoop {
  /// Runs work on its own event loop.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable (any EventLoop) -> EventLoopFuture<Value>
  ) async throws -> Value {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let value = try await loop.flatSubmit { work(loop) }.get()
      try await group.shutdownGracefully()
      return value
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
  }
}

/// Timers that call back on the same loop without crossing threads.
extension EventLoop {
  func after(seconds: Double, _ body: @escaping () -> Void) {
    assumeIsolated().scheduleTask(in: .nanoseconds(Int64(seconds * 1e9)), body)
  }
}
