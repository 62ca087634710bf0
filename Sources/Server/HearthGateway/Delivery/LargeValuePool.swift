import HearthSystem
import HearthTransport
import HearthTree
import NIOCore
import NIOPosix

/// A few threads that read and write large values as JSON, so that event loops stay free for everybody else. They step
/// back behind the event loops, with which they may share a processor.
package struct LargeValuePool: Sendable {
  /// Up to this many bytes of JSON are handled on the event loop: about a millisecond's work. Only larger answers are
  /// weighed before they are sent.
  static let loopBytesMax = QuotaLimits.answerBytesMin

  /// Up to this many children are looked at on the event loop: well below a millisecond's work.
  static let loopChildrenMax = 1_000

  /// Enough to keep a core busy while another value waits for memory.
  static let threadCount = 2

  /// The place where the texts that it makes are counted.
  let memory: ClientMemory
  /// Those of them that several clients are told.
  let recent: RecentTexts
  private let threads = NIOThreadPool(numberOfThreads: threadCount)

  init(memory: ClientMemory) {
    self.memory = memory
    recent = RecentTexts(memory: memory)
  }

  /// Starts the threads. What is run before is refused.
  package func start() { threads.start() }

  /// Waits for what is under way, and refuses everything after.
  package func stop() async { try? await threads.shutdownGracefully() }

  /// Runs `work` away from the loop.
  ///
  /// - Parameter completion: called on `loop`; nil when the server stops.
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
  /// Runs `work` away from everybody else.
  ///
  /// - Throws: what it throws, or that the server stops.
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
