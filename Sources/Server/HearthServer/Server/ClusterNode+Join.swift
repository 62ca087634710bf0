import HearthAccounts
import HearthCluster
import HearthClusterNode
import HearthEngine
import HearthGateway
import HearthJournal
import Logging
import NIOPosix

/// A server as a node of a cluster.
extension ClusterNode {
  /// Joins the cluster; nil for a server by itself.
  static func join(
    _ options: HearthServer.Options, _ engine: ServerJournals, _ group: MultiThreadedEventLoopGroup
  ) async throws(ServerError) -> ClusterNode? {
    guard let cluster = options.cluster else { return nil }
    guard let store = engine.store as? any ClusterJournalStore else {
      throw ServerError(
        .badOptions, "the nodes of a cluster must keep their databases in one \(JournalEngines.products)")
    }
    do {
      let (timing, address) = (ClusterTiming(), "\(cluster.node.host):\(cluster.node.port)")
      let catalog = try store.clusterCatalog(address: address, timing: timing) {
        [logger = options.logger, product = store.product] error in
        logger.error("\(product) refused a cluster request", metadata: ["error": "\(error)"])
      }
      return try await ClusterNode(
        cluster, catalog, timing: timing, on: group.next(), clock: { SystemClock.now }, logger: options.logger)
    } catch let error as LinkIdentity.Failure {
      throw ServerError(.badCertificate, "\(error)")
    } catch let error as JournalError {
      throw ServerError(.storage, "cannot join the cluster: \(error)")
    } catch {
      throw ServerError(
        .cannotBind,
        "cannot listen for other nodes on \(cluster.node.host) port \(cluster.node.port): \(BindProblem(error))")
    }
  }

  /// Returns a closer of databases that the cluster's nodes share, for this node's part in them.
  func closer() -> DatabaseCloser {
    { [self] name, database, reason in
      guard close(ServerJournals.databasesPrefix + name, isForced: reason == .removal) else { return false }
      database.close()
      return true
    }
  }

  /// Returns an opener of databases that the cluster's nodes share.
  func opener(_ router: EffectRouter) -> DatabaseOpener {
    { [self] name, rules, environment, limits in
      var environment = environment
      environment.closeConnection = { router.disconnectForRetry($0) }
      return try open(
        name, of: ServerJournals.databasesPrefix, initialRules: rules, environment: environment, limits: limits,
        denied: { denials in
          // The denied client may be connected to another node.
          let own = denials.map { Effect.denied($0.withoutConnection) }
          router.deliver(own, of: name)
        })
    }
  }

  /// Collects receipts of revoked credentials of users and service accounts from the clients of all nodes.
  func shareReceipts(of accounts: AccountStore, _ router: EffectRouter) {
    router.receipts.collect(
      from: ReceiptPeers(names: peers) { [self] revocation, onReceipts in
        guard let credentials = EndedCredentials(revocation) else {
          for peer in peers { onReceipts(peer, nil) }
          return
        }
        requestReceipts(of: credentials, position: accounts.position, onReceipts: onReceipts)
      })
    setReceiptHandler { credentials, position in
      let loop = router.anyLoop
      let promise = loop.makePromise(of: Void.self)
      promise.completeWithTask {
        // Afterwards all commits that were durable at the time of the request have been announced here.
        guard await accounts.catchUp(), accounts.position >= position else { throw LinkRefusal.failed }
      }
      return promise.futureResult.flatMap {
        router.receipts.encodedReport(of: Revocation(credentials), upTo: position, on: loop)
      }
    }
  }
}

extension EndedCredentials {
  /// Creates the revocation for all nodes; nil for one that concerns this node alone.
  fileprivate init?(_ revocation: Revocation) {
    switch revocation {
    case .user(let uid): self = .user(uid: uid)
    case .serviceAccount(let email): self = .serviceAccount(email: email)
    case .tenant, .legacySession, .signingKey, .legacySecret, .foreignTokens: return nil
    }
  }
}

extension Revocation {
  fileprivate init(_ credentials: EndedCredentials) {
    switch credentials {
    case .user(let uid): self = .user(uid: uid)
    case .serviceAccount(let email): self = .serviceAccount(email: email)
    }
  }
}

extension Denial {
  /// The same denial, for a client that is not connected here.
  fileprivate var withoutConnection: Denial {
    var denial = self
    (denial.connection, denial.request) = (ConnectionID(rawValue: 0), nil)
    return denial
  }
}
