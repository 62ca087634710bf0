import HearthAccounts

/// The other nodes of a cluster, for a node that collects their results of a revocation.
package struct ReceiptPeers: Sendable {
  /// The names of the nodes.
  package var names: [String]
  /// Asks all nodes. `onReport` is called once for each with its report, from any thread; with nil when it does not answer.
  package var ask: @Sendable (_ revocation: Revocation, _ onReport: @escaping ReportHandler) -> Void

  /// Takes the report of a node.
  package typealias ReportHandler = @Sendable (_ node: String, _ report: [UInt8]?) -> Void

  /// - Parameters:
  /// - names: the names of all other nodes.
  /// - ask: asks each node.
  package init(
    names: [String], ask: @escaping @Sendable (_ revocation: Revocation, _ onReport: @escaping ReportHandler) -> Void
  ) {
    (self.names, self.ask) = (names, ask)
  }
}

extension Revocation {
  /// True when the revocation has a position in the accounts' log, so that the other nodes of a cluster can be asked
  /// for its results. Keys and secrets are shared elsewhere: each node cancels their clients with a receipt of its own.
  /// Revocations by plugins concern one node alone.
  var isClusterWide: Bool {
    switch self {
    case .user, .serviceAccount: true
    case .tenant, .legacySession, .signingKey, .legacySecret, .foreignTokens: false
    }
  }
}
