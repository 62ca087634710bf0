import HearthAccounts
import NIOCore

/// Receipts that tell of the clients of several nodes.
extension ReceiptStore {
  /// Has receipts of revocations tell of the clients of these nodes, too, from here on.
  package func collect(from peers: ReceiptPeers) { state.withLock { $0.peers = peers } }

  /// Says what this node did because another one ended credentials, once it has done it, or after a while as far as it has.
  ///
  /// - Parameters:
  ///   - position: in the accounts' log, which this node has come to.
  ///   - loop: any; the answer comes on it.
  /// - Returns: the words that ``ReceiptPeers/ask`` is to give on that node.
  package func words(
    of revocation: Revocation, upTo position: Int64, on loop: any EventLoop
  ) -> EventLoopFuture<[UInt8]> {
    let rounds = state.withLock { $0.followed.take(revocation, upTo: position) }
    let done = loop.makePromise(of: Void.self)
    let ends = rounds.map { round -> EventLoopFuture<Void> in
      let end = loop.makePromise(of: Void.self)
      round.whenEnded { end.succeed() }
      return end.futureResult
    }
    let patience = loop.scheduleTask(in: .milliseconds(limits.nodePatienceMilliseconds)) { done.succeed() }
    EventLoopFuture.andAllSucceed(ends, on: loop).whenSuccess {
      patience.cancel()
      done.succeed()
    }
    return done.futureResult.flatMapThrowing { [limits] in
      try NodeReceipt.encoded(rounds.flatMap(\.receipts), limits: limits)
    }
  }
}
