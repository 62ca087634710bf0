import HearthCluster
import NIOCore

/// The exchange of receipts for clients that nodes disconnected because shared credentials ended.
extension ClusterNode {
  /// The handler that returns this node's receipts, in the caller's encoding, once the clients are disconnected: at
  /// most ``ClusterLimits/receiptBytesMax``. The position is one in the accounts' log, at or after the change that
  /// ended the credentials.
  package typealias ReceiptHandler = @Sendable (EndedCredentials, _ position: Int64) -> EventLoopFuture<[UInt8]>

  /// The time limit for another node's answer.
  private static let receiptSeconds = 3

  /// Sets the handler for other nodes' questions for receipts; before that, they are refused.
  package func setReceiptHandler(_ handler: @escaping ReceiptHandler) { receiptHandler.set(handler) }

  /// Asks all other nodes for their receipts.
  ///
  /// - Parameters:
  /// - position: The position in the accounts' log at or after the change that ended the credentials.
  /// - onReceipts: Called once for each of ``peers``, on any thread, with the receipts; they are nil when the node does
  ///   not answer.
  package func requestReceipts(
    of credentials: EndedCredentials, position: Int64,
    onReceipts: @escaping @Sendable (_ node: String, _ receipts: [UInt8]?) -> Void
  ) {
    for peer in peers {
      let node = NodeID(peer)
      let isTaken = receiptLimiter.begin(node) { [self] in
        ask(node, .receipts(of: credentials, position: position), seconds: Self.receiptSeconds)
          .whenComplete { [self] result in
            receiptLimiter.end(node, on: driver.links.loop)
            guard case .success(.receipts(let receipts)) = result else { return onReceipts(peer, nil) }
            onReceipts(peer, receipts)
          }
      }
      if !isTaken { onReceipts(peer, nil) }
    }
  }

  /// Answers another node's question for receipts.
  func receipts(
    of credentials: EndedCredentials, _ position: Int64, on loop: any EventLoop
  ) -> EventLoopFuture<NodeAnswer> {
    guard let told = receiptHandler.current?(credentials, position) else {
      return loop.makeFailedFuture(LinkRefusal.noHandler)
    }
    return told.hop(to: loop).flatMapThrowing { receipts in
      guard receipts.count <= ClusterLimits.receiptBytesMax else { throw LinkRefusal.noRoom }
      return .receipts(receipts)
    }
  }
}
