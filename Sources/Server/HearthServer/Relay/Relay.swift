import HearthTransport
import Logging
import NIOCore

/// How a node of a cluster finds the one that answers certain requests, and hands them to it.
struct Relay: Sendable {
  /// The reason why a node that was asked gave no answer.
  enum Failure: Error, Sendable, Equatable {
    /// Nothing was sent, or nothing was taken in: nothing was done.
    case notReached
    /// Nobody here knows what was done.
    case outcomeUnknown
  }

  /// This node's name.
  let node: String
  /// The name of the node that answers such requests, as far as this one knows: its own, another's, or nil. From any
  /// thread.
  let owner: @Sendable () -> String?
  /// Whose word about a client's address counts here.
  let proxies: TrustedProxies
  let logger: Logger
  /// The time that it waits between two looks for such a node, and how often it looks again.
  var patience = (pause: TimeAmount.milliseconds(RelayLimits.pauseMilliseconds), triesMax: RelayLimits.triesMax)

  /// Has a request answered on this node. Where nothing could be changed, because the node is giving that up or is only
  /// about to be the one, it is carried out again when it has been the one for a while: a few times, for each costs what a
  /// request costs.
  ///
  /// - Returns: Nil when another node answers such requests by then.
  func carryOut(
    roundsLeft: Int = RelayLimits.roundsMax, on loop: any EventLoop,
    _ respond: @escaping @Sendable () -> EventLoopFuture<HTTPResponse>
  ) -> EventLoopFuture<HTTPResponse?> {
    respond().flatMap { response in
      guard response.mayBeginAnew else { return loop.makeSucceededFuture(response) }
      return otherOwner(looksLeft: RelayLimits.looksMax, on: loop).flatMap { isThere in
        guard !isThere else { return loop.makeSucceededFuture(nil) }
        guard roundsLeft > 0 else { return loop.makeSucceededFuture(response) }
        return carryOut(roundsLeft: roundsLeft - 1, on: loop, respond)
      }
    }
  }

  /// Waits for a while whether another node than this one is the one that answers such requests.
  private func otherOwner(looksLeft: Int, on loop: any EventLoop) -> EventLoopFuture<Bool> {
    if owner() != node { return loop.makeSucceededFuture(true) }
    guard looksLeft > 0 else { return loop.makeSucceededFuture(false) }
    return loop.scheduleTask(in: patience.pause) {}.futureResult
      .flatMap { otherOwner(looksLeft: looksLeft - 1, on: loop) }
  }
}
