import HearthAccounts

/// The other nodes of a cluster, for a node that collects what all of them did because of a revocation.
package struct ReceiptPeers: Sendable {
  /// Their names.
  package var names: [String]
  /// Asks all of them. `heard` is told once of each what it says, from any thread; nil when it gives no answer.
  package var ask: @Sendable (_ revocation: Revocation, _ heard: @escaping Heard) -> Void

  /// Told what a node says.
  package typealias Heard = @Sendable (_ node: String, _ words: [UInt8]?) -> Void

  /// - Parameters:
  ///   - names: of all others.
  ///   - ask: asks each of them.
  package init(names: [String], ask: @escaping @Sendable (_ revocation: Revocation, _ heard: @escaping Heard) -> Void) {
    (self.names, self.ask) = (names, ask)
  }
}

extension Revocation {
  /// Whether it ends credentials at a place in the accounts' log, so that the other nodes of a cluster can be asked what they
  /// did because of it. Keys and secrets are shared elsewhere: each node cuts their clients with a receipt of its own. What
  /// plugins say is each node's own.
  var isOfAllNodes: Bool {
    switch self {
    case .user, .serviceAccount: true
    case .tenant, .legacySession, .signingKey, .legacySecret, .foreignTokens: false
    }
  }
}
