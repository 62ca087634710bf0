import HearthTransport
import Logging
import NIOCore

/// The forwarding of certain requests from a node of a cluster to the node that owns them.
struct Relay: Sendable {
  /// The reason why another node sent no response.
  enum Failure: Error, Sendable, Equatable {
    /// The request was not sent, or not accepted: it was not carried out.
    case notReached
    /// This node cannot know whether the request was carried out.
    case outcomeUnknown
  }

  /// The name of this node.
  let node: String
  /// Returns the name of the node that owns such requests, as far as this one knows: its own, another's, or nil.
  /// Thread-safe.
  let owner: @Sendable () -> String?
  /// The proxies whose headers about a client's address are trusted.
  let proxies: TrustedProxies
  let logger: Logger
  /// The pause between two lookups of the owner, and the maximum number of attempts to reach it.
  var retries = (pause: TimeAmount.milliseconds(RelayLimits.pauseMilliseconds), triesMax: RelayLimits.triesMax)

  /// Responds to a request on this node. When no change was possible, because the node is losing its ownership or has
  /// not fully gained it, the request is carried out again once the node has been the owner for a while: a few times,
  /// for each costs as much as a request.
  ///
  /// - Returns: nil when another node owns such requests by then.
  func carryOut(
    roundsLeft: Int = RelayLimits.roundsMax, on loop: any EventLoop,
    _ respond: @escaping @Sendable () -> EventLoopFuture<HTTPResponse>
  ) -> EventLoopFuture<HTTPResponse?> {
    respond().flatMap { response in
      guard response.isSafeToRetry else { return loop.makeSucceededFuture(response) }
      return otherOwner(lookupsLeft: RelayLimits.lookupsMax, on: loop).flatMap { isThere in
        guard !isThere else { return loop.makeSucceededFuture(nil) }
        guard roundsLeft > 0 else { return loop.makeSucceededFuture(response) }
        return carryOut(roundsLeft: roundsLeft - 1, on: loop, respond)
      }
    }
  }

  /// Waits for a while until another node than this one is the owner.
  private func otherOwner(lookupsLeft: Int, on loop: any EventLoop) -> EventLoopFuture<Bool> {
    if owner() != node { return loop.makeSucceededFuture(true) }
    guard lookupsLeft > 0 else { return loop.makeSucceededFuture(false) }
    return loop.scheduleTask(in: retries.pause) {}.futureResult
      .flatMap { otherOwner(lookupsLeft: lookupsLeft - 1, on: loop) }
  }
}
