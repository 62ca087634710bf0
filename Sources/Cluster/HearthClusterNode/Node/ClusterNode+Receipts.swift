import HearthCluster
import NIOCore

/// What nodes tell each other of the clients that they cut because credentials ended which all of them have in common.
extension ClusterNode {
  /// Says whom this node cut, in words that are not this module's, once it has cut them: at most
  /// ``ClusterLimits/receiptBytesMax``. The position is one in the accounts' log, at or behind the change that ended the
  /// credentials.
  package typealias ReceiptTeller = @Sendable (EndedCredentials, _ position: Int64) -> EventLoopFuture<[UInt8]>

  /// The time that another node may take, from when it is asked.
  private static let receiptSeconds = 3

  /// Answers other nodes' questions for receipts from here on; before that, they are refused.
  package func tellReceipts(_ teller: @escaping ReceiptTeller) { receiptTeller.set(teller) }

  /// Asks all other nodes whom they cut.
  ///
  /// - Parameters:
  ///   - position: in the accounts' log, at or behind the change that ended the credentials.
  ///   - heard: told once of each of ``peers`` what it says, on any thread; nil when it gives no answer.
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
