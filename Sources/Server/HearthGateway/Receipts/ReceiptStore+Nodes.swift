import HearthAccounts
import NIOCore

/// Receipts with the clients of several nodes.
extension ReceiptStore {
  /// Includes the clients of these nodes in receipts of revocations from now on.
  package func collect(from peers: ReceiptPeers) { state.withLock { $0.peers = peers } }

  /// Returns this node's results of another node's revocation, once they are complete, or after a while as they are.
  ///
  /// - Parameters:
  ///   - position: the position in the accounts' log that this node has reached.
  ///   - loop: any; the result comes on it.
  /// - Returns: the encoded report for ``ReceiptPeers/ask`` on that node.
  package func encodedReport(
    of revocation: Revocation, upTo position: Int64, on loop: any EventLoop
  ) -> EventLoopFuture<[UInt8]> {
    let processes = state.withLock { $0.remoteRevocations.take(revocation, upTo: position) }
    let done = loop.makePromise(of: Void.self)
    let ends = processes.map { process -> EventLoopFuture<Void> in
      let end = loop.makePromise(of: Void.self)
      process.whenEnded { end.succeed() }
      return end.futureResult
    }
    let timeout = loop.scheduleTask(in: .milliseconds(limits.nodeTimeoutMilliseconds)) { done.succeed() }
    EventLoopFuture.andAllSucceed(ends, on: loop).whenSuccess {
      timeout.cancel()
      done.succeed()
    }
    return done.futureResult.flatMapThrowing { [limits] in
      try NodeReceipt.encoded(processes.flatMap(\.receipts), limits: limits)
    }
  }
}
