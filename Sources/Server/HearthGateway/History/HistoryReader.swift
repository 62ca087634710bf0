import Dispatch
import HearthTransport
import NIOCore
import Synchronization

/// Where the past of databases is read: one request after another for the whole server, away from the loops and from what
/// databases do, so that however many look back nobody else waits for it.
final class HistoryReader: Sendable {
  /// Requests that may wait for their turn; others are asked to come back.
  static let waitingMax = 16

  /// After this long a search through the log answers with what it has found. A client goes on from there.
  static let searchMilliseconds: Int64 = 10_000

  private let queue = DispatchQueue(label: "hearth.history", qos: .utility)
  private let waitingCount = Mutex(0)
  private let isClosed = Atomic(false)

  /// Has `work` done when its turn comes.
  ///
  /// - Parameters:
  ///   - abandonment: says that nobody waits any more; what has not begun by then is not done.
  ///   - work: told whether to give up in the middle.
  ///   - completion: called on the loop.
  func run(
    on loop: any EventLoop, _ abandonment: Abandonment,
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
      let isCancelled = { [self] in abandonment.isDeclared || isClosed.load(ordering: .relaxed) }
      promise.succeed(isCancelled() ? RESTResponse(.unavailable) : work(isCancelled))
      waitingCount.withLock { $0 -= 1 }
    }
  }

  /// Gives up what is under way and what waits. Blocks until it is.
  func close() {
    isClosed.store(true, ordering: .relaxed)
    queue.sync {}
  }
}

extension RESTFailure {
  static let historyBusy: RESTFailure = {
    var failure = RESTFailure(503, "Too many requests for the past wait already.")
    failure.retryAfterSeconds = 1
    return failure
  }()
}
