import Dispatch
import HearthTransport
import NIOCore
import Synchronization

/// A reader of databases' history: it runs one request after another for the whole server, away from the loops and from
/// the databases' queues, so that any number of such requests delays no other work.
final class HistoryReader: Sendable {
  /// The maximum number of waiting requests; others are told to retry.
  static let waitingMax = 16

  /// The time after which a search through the log returns its results so far. A client continues from there.
  static let searchMilliseconds: Int64 = 10_000

  private let queue = DispatchQueue(label: "hearth.history", qos: .utility)
  private let waitingCount = Mutex(0)
  private let isClosed = Atomic(false)

  /// Runs `work` when its turn comes.
  ///
  /// - Parameters:
  ///   - cancellation: when it is set before `work` begins, `work` does not run.
  ///   - work: gets a function that returns true when it should stop.
  ///   - completion: called on the loop.
  func run(
    on loop: any EventLoop, _ cancellation: RequestCancellation,
    _ work: @escaping @Sendable (_ isCancelled: () -> Bool) -> RESTResponse,
    completion: @escaping RESTResponse.Completion
  ) {
    let isTaken = waitingCount.withLock { count in
      guard count < Self.waitingMax else { return false }
      count += 1
      return true
    }
    guard isTaken else { return completion(RESTResponse(.historyBusy)) }
    let promise = loop.makePromise(of: RESTResponse.self)
    promise.futureResult.assumeIsolated().whenSuccess { completion($0) }
    queue.async { [self] in
      let isCancelled = { [self] in cancellation.isCancelled || isClosed.load(ordering: .relaxed) }
      promise.succeed(isCancelled() ? RESTResponse(.unavailable) : work(isCancelled))
      waitingCount.withLock { $0 -= 1 }
    }
  }

  /// Cancels the work under way and the waiting requests. Blocks until that is done.
  func close() {
    isClosed.store(true, ordering: .relaxed)
    queue.sync {}
  }
}

extension RESTFailure {
  static let historyBusy: RESTFailure = {
    var failure = RESTFailure(503, "Too many requests for history are waiting. Try again later.")
    failure.retryAfterSeconds = 1
    return failure
  }()
}
