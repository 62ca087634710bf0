import HearthAccounts
import HearthClusterNode
import HearthGateway
import HearthTransport
import Logging
import NIOCore

/// The routing of HTTP requests between a cluster's nodes: accounts are changed by the node that owns them, whichever
/// node gets the request.
struct ClusterRoutes: Sendable {
  let node: ClusterNode
  let relay: Relay
  /// The prefix of the names of databases' journals.
  let prefix: String
  private let accounts: AccountStore
  /// Waits until all changes of databases and triggers by other nodes are in force here.
  private let catchUp: @Sendable () async -> Void
  /// The timeout for receipts that another node keeps: longer than that node may wait for them.
  private static let receiptSeconds = ReceiptList.waitSecondsMax + 10

  init(
    _ node: ClusterNode, _ accounts: AccountStore, prefix: String, proxies: TrustedProxies, logger: Logger,
    catchUp: @escaping @Sendable () async -> Void
  ) {
    (self.node, self.accounts, self.prefix, self.catchUp) = (node, accounts, prefix, catchUp)
    relay = Relay(
      node: node.name, owner: { node.owner(of: AccountStore.journalName) }, proxies: proxies, logger: logger)
  }

  /// The responder for administrators.
  var responder: ClusterResponder { ClusterResponder(node: node, prefix: prefix) }

  /// Returns true when administrators' requests for the path are answered by one node for all, so that one audit trail has all
  /// changes, and no two nodes make the same database at the same time.
  static func isForOwnerOfAccounts(_ path: String) -> Bool {
    ["/.settings/databases", "/.settings/triggers"].contains { path == $0 + ".json" || path.hasPrefix($0 + "/") }
  }

  /// Returns true when any node that gets the forwarded request answers it, and not only the owner of the accounts.
  static func isForAnyNode(_ request: HTTPRequest) -> Bool { request.path == ReceiptList.path }

  /// Returns the same responder on the node that a request for receipts names; nil when that is this node, or none is
  /// named.
  func byNamedNode(_ request: HTTPRequest, _ responder: any HTTPResponder) -> (any HTTPResponder)? {
    guard let name = ReceiptList.node(of: request), node.peers.contains(name) else { return nil }
    let named = Relay(node: node.name, owner: { name }, proxies: relay.proxies, logger: relay.logger)
    return RelayResponder(
      relay: named,
      ask: { [node] name, question in ask(node, name, question, timeoutSeconds: Self.receiptSeconds) },
      responder: responder)
  }

  /// Returns the same responder on the node that owns the accounts.
  ///
  /// - Parameter changesServer: true when the request may change databases or triggers: the change is in force here
  ///   before the response.
  func byOwnerOfAccounts(_ responder: any HTTPResponder, changesServer: Bool = false) -> any HTTPResponder {
    RelayResponder(
      relay: relay,
      ask: { [node] name, question in ask(node, name, question, timeoutSeconds: RelayLimits.timeoutSeconds) },
      catchUp: { [accounts, catchUp] loop in
        let promise = loop.makePromise(of: Void.self)
        promise.completeWithTask {
          if changesServer { await catchUp() }
          await accounts.catchUp()
        }
        return promise.futureResult
      }, responder: responder)
  }
}

private func ask(
  _ node: ClusterNode, _ name: String, _ question: [UInt8], timeoutSeconds: Int
) -> EventLoopFuture<[UInt8]> {
  node.ask(name, question, timeoutSeconds: timeoutSeconds).flatMapErrorThrowing { error in
    throw (error as? QuestionProblem)?.mayHaveBeenDone == false ? Relay.Failure.notReached : .outcomeUnknown
  }
}
