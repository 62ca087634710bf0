import HearthAccounts
import HearthClusterNode
import HearthGateway
import HearthTransport
import Logging
import NIOCore

/// What a cluster's nodes answer for each other over HTTP: accounts are changed by the node that owns them, whichever is asked.
struct ClusterRoutes: Sendable {
  let node: ClusterNode
  let relay: Relay
  /// What the names of databases' journals begin with.
  let prefix: String
  private let accounts: AccountStore
  /// Done when all is in force here that other nodes have changed of databases and triggers.
  private let catchUp: @Sendable () async -> Void
  /// For receipts that another node keeps: longer than it may wait for them.
  private static let receiptSeconds = ReceiptList.waitSecondsMax + 10

  init(
    _ node: ClusterNode, _ accounts: AccountStore, prefix: String, proxies: TrustedProxies, logger: Logger,
    catchUp: @escaping @Sendable () async -> Void
  ) {
    (self.node, self.accounts, self.prefix, self.catchUp) = (node, accounts, prefix, catchUp)
    relay = Relay(
      node: node.name, owner: { node.owner(of: AccountStore.journalName) }, proxies: proxies, logger: logger)
  }

  /// The page for administrators.
  var responder: ClusterResponder { ClusterResponder(node: node, prefix: prefix) }

  /// Returns true when one node answers for all what administrators ask there: what is made and removed is in one audit
  /// trail, and nobody else makes the same at the same time.
  static func isForOwnerOfAccounts(_ path: String) -> Bool {
    ["/.settings/databases", "/.settings/triggers"].contains { path == $0 + ".json" || path.hasPrefix($0 + "/") }
  }

  /// Returns true when whichever node a request is handed to answers it, and not only the one that owns the accounts.
  static func isForAnyNode(_ request: HTTPRequest) -> Bool { request.path == ReceiptList.path }

  /// The same responder on the node that a request for receipts names; nil when that is this one, or none.
  func byNamedNode(_ request: HTTPRequest, _ responder: any HTTPResponder) -> (any HTTPResponder)? {
    guard let name = ReceiptList.node(of: request), node.peers.contains(name) else { return nil }
    let named = Relay(node: node.name, owner: { name }, proxies: relay.proxies, logger: relay.logger)
    return RelayResponder(
      relay: named,
      ask: { [node] name, question in ask(node, name, question, timeoutSeconds: Self.receiptSeconds) },
      responder: responder)
  }

  /// The same responder on the node that owns the accounts.
  ///
  /// - Parameter changesServer: the request is about databases or triggers, and may change them: that is in force here before
  ///   it is answered.
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
