import HearthAccounts
import HearthCluster
import HearthClusterNode
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthJournal
import HearthPostgres
import Logging
import NIOPosix

/// A server as a node of a cluster.
extension ServerParts {
  /// Joins the cluster; nil for a server by itself.
  static func join(
    _ options: HearthServer.Options, _ engine: JournalEngine, _ group: MultiThreadedEventLoopGroup
  ) async throws(ServerError) -> ClusterNode? {
    guard let cluster = options.cluster else { return nil }
    guard let postgres = engine.postgres else {
      throw ServerError(.badOptions, "the nodes of a cluster keep their databases in one PostgreSQL")
    }
    do {
      let (timing, address) = (ClusterTiming(), "\(cluster.node.host):\(cluster.node.port)")
      let store = try PostgresClusterStore(postgres, address: address, timing: timing) {
        [logger = options.logger] error in
        logger.error("PostgreSQL refused a call of the cluster", metadata: ["error": "\(error)"])
      }
      return try await ClusterNode(
        cluster, store, timing: timing, on: group.next(), clock: { SystemClock.now }, logger: options.logger)
    } catch let error as LinkIdentity.Failure {
      throw ServerError(.badCertificate, "\(error)")
    } catch let error as JournalError {
      throw ServerError(.storage, "cannot join the cluster: \(error)")
    } catch {
      throw ServerError(
        .cannotBind, "cannot listen for other nodes on \(cluster.node.host) port \(cluster.node.port): \(error)")
    }
  }

  /// The small files that nodes share, their keys with them; nil for a server by itself. Blocks.
  ///
  /// - Parameter router: lets those go who used a key that another node has taken away.
  static func sharedFiles(
    _ options: HearthServer.Options, _ node: ClusterNode?, _ keys: KeyRing, _ router: EffectRouter
  ) throws(ServerError) -> SharedFiles? {
    guard let node else { return nil }
    do {
      let files = try SharedFiles(
        folder: options.dataDirectory, clock: { SystemClock.now }, logger: options.logger,
        notice: { log($0, of: SharedFiles.journalName, options.logger) },
        open: {
          try node.open(
            SharedFiles.journalName, of: "", initialRules: .denyAll, environment: $0, limits: DatabaseLimits(),
            denied: { _ in })
        })
      do {
        try keys.share(in: files.keys) { lost in
          for id in lost.keyIDs { _ = router.revoke(.signingKey(id: id), because: .keyRotated) }
          if lost.hasSecret { _ = router.revoke(.legacySecret, because: .keyRotated) }
        }
      } catch {
        files.close()
        throw error
      }
      return files
    } catch let error as KeyStoreError {
      throw ServerError(.storage, "\(error)")
    } catch {
      throw ServerError(.storage, "cannot open what the nodes share: \(error)")
    }
  }

  /// Goes by what another node, or this one, has changed.
  static func follow(_ files: SharedFiles, _ keys: KeyRing, _ services: GatewayServices) {
    files.whenChanged { path in
      if path == SharedFiles.keysPath {
        do throws(KeyStoreError) { try keys.takeShared() } catch {
          services.logger.error("keys that another node has changed are not taken", metadata: ["error": "\(error)"])
        }
        return
      }
      let names = path.split(separator: "/").map(String.init)
      guard names.count > 1 else { return }
      let database = names[1].hasSuffix(".json") ? String(names[1].dropLast(5)) : names[1]
      switch names[0] {
      case DataDirectory.settingsName:
        services.settings.forget(database)
        services.loadQuotas(of: database)
        services.reviewStorage(of: database)
        if let open = services.databases.opened(database) { services.triggers.review(open) }
      case DataDirectory.versionsName: services.rules.forgetVersions(of: database)
      case DataDirectory.triggersName: services.triggers.reload()
      default: break
      }
    }
  }

  /// Closes databases that the cluster's nodes share, as far as this node has a part in them.
  static func closer(_ node: ClusterNode) -> DatabaseCloser {
    { name, database, reason in
      guard node.close(JournalEngine.databasesPrefix + name, isForced: reason == .removal) else { return false }
      database.close()
      return true
    }
  }

  /// Has receipts of what ends the credentials of people and service accounts tell of the clients of all nodes.
  static func shareReceipts(_ node: ClusterNode, _ accounts: AccountStore, _ router: EffectRouter) {
    router.receipts.collect(
      from: ReceiptPeers(names: node.peers) { revocation, heard in
        guard let credentials = EndedCredentials(revocation) else {
          for peer in node.peers { heard(peer, nil) }
          return
        }
        node.askForReceipts(of: credentials, position: accounts.position, heard: heard)
      })
    node.tellReceipts { credentials, position in
      let loop = router.anyLoop
      let promise = loop.makePromise(of: Void.self)
      promise.completeWithTask {
        // Whatever was durable when it was asked was announced here after this.
        guard await accounts.catchUp(), accounts.position >= position else { throw LinkRefusal.failed }
      }
      return promise.futureResult.flatMap {
        router.receipts.words(of: Revocation(credentials), upTo: position, on: loop)
      }
    }
  }

  /// Opens databases that the cluster's nodes share.
  static func opener(_ node: ClusterNode, _ router: EffectRouter) -> DatabaseOpener {
    { name, rules, environment, limits in
      var environment = environment
      environment.closeConnection = { router.sendAway($0) }
      return try node.open(
        name, of: JournalEngine.databasesPrefix, initialRules: rules, environment: environment, limits: limits,
        denied: { denials in
          // Who asked is a session of some node and no connection of this one.
          let own = denials.map { Effect.denied($0.ofNobody) }
          router.deliver(own, of: name)
        })
    }
  }
}

extension EndedCredentials {
  /// Nil for what does not end on all nodes.
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
  /// The same, refused to nobody who is connected here.
  fileprivate var ofNobody: Denial {
    var denial = self
    (denial.connection, denial.request) = (ConnectionID(rawValue: 0), nil)
    return denial
  }
}
