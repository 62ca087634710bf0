import HearthSystem
import HearthTransport
import HearthTree
import NIOCore
import NIOPosix

/// A pool of a few threads that read and write large values as JSON, so that event loops stay responsive for other
/// clients. They have a lower priority than the event loops, with which they may share a processor.
package struct LargeValuePool: Sendable {
  /// The size of JSON, in bytes, up to which it is handled on the event loop: about a millisecond's work. Only larger
  /// responses are measured before they are sent.
  static let loopBytesMax = QuotaLimits.answerBytesMin

  /// The number of children up to which a node is read on the event loop: well below a millisecond's work.
  static let loopChildrenMax = 1_000

  /// The number of threads: enough to keep a core busy while another value waits for memory.
  static let threadCount = 2

  /// The memory in which the texts are counted.
  let memory: ClientMemory
  /// The texts that several clients are sent.
  let recent: RecentTexts
  private let threads = NIOThreadPool(numberOfThreads: threadCount)

  init(memory: ClientMemory) {
    self.memory = memory
    recent = RecentTexts(memory: memory)
  }

  /// Starts the threads. Work is refused until they have started.
  package func start() { threads.start() }

  /// Waits for the work under way, and refuses new work.
  package func stop() async { try? await threads.shutdownGracefully() }

  /// Runs `work` away from the loop.
  ///
  /// - Parameter completion: called on `loop`; with nil when the server stops.
  func run<Result: Sendable>(
    on loop: any EventLoop, _ work: @escaping @Sendable () -> Result, completion: @escaping (Result?) -> Void
  ) {
    let lowered: @Sendable () -> Result = {
      ThreadPriority.lower()
      return work()
    }
    threads.runIfActive(eventLoop: loop, lowered).assumeIsolated().whenComplete { result in
      completion(try? result.get())
    }
  }
  /// Runs `work` on a thread of the pool.
  ///
  /// - Throws: the error of `work`, or that the server stops.
  func work<Result: Sendable>(
    _ work: @escaping @Sendable () throws(RESTFailure) -> Result
  ) async throws(RESTFailure) -> Result {
    let result = try? await threads.runIfActive { () -> Swift.Result<Result, RESTFailure> in
      ThreadPriority.lower()
      return Swift.Result { () throws(RESTFailure) in try work() }
    }
    guard let result else { throw .unavailable }
    return try result.get()
  }
}
