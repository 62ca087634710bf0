import HearthCluster
import NIOCore

/// The exchange of receipts for clients that nodes disconnected because shared credentials ended.
extension ClusterNode {
  /// The handler that returns this node's receipts, in the caller's encoding, once the clients are disconnected: at
  /// most ``ClusterLimits/receiptBytesMax``. The position is one in the accounts' log, at or after the change that
  /// ended the credentials.
  package typealias ReceiptTeller = @Sendable (EndedCredentials, _ position: Int64) -> EventLoopFuture<[UInt8]>

  /// The time limit for another node's answer.
  private static let receiptSeconds = 3

  /// Sets the handler for other nodes' questions for receipts; before that, they are refused.
  package func tellReceipts(_ teller: @escaping ReceiptTeller) { receiptTeller.set(teller) }

  /// Asks all other nodes for their receipts.
  ///
  /// - Parameters:
  ///   - position: The position in the accounts' log at or after the change that ended the credentials.
  ///   - heard: Called once for each of ``peers`` with its receipts, on any thread; nil when it gives no answer.
  package func askForReceipts(
    of credentials: EndedCredentials, position: Int64,
    heard: @escaping @Sendable (_ node: String, _ words: [UInt8]?) -> Void
  ) {
    for peer in peers {
      let node = NodeID(peer)
      let isTaken = receiptTurns.begin(node) { [self] in
        ask(node, .receipts(of: credentials, position: position), seconds: Self.receiptSeconds)
          .whenComplete { [self] result in
            receiptTurns.end(node, on: driver.links.loop)
            guard case .success(.receipts(let words)) = result else { return heard(peer, nil) }
            heard(peer, words)
          }
      }
      if !isTaken { heard(peer, nil) }
    }
  }

  /// Answers another node's question for receipts.
  func receipts(
    of credentials: EndedCredentials, _ position: Int64, on loop: any EventLoop
  ) -> EventLoopFuture<NodeAnswer> {
    guard let told = receiptTeller.current?(credentials, position) else {
      return loop.makeFailedFuture(LinkRefusal.unattended)
    }
    return told.hop(to: loop).flatMapThrowing { words in
      guard words.count <= ClusterLimits.receiptBytesMax else { throw LinkRefusal.noRoom }
      return .receipts(words)
    }
  }
}
