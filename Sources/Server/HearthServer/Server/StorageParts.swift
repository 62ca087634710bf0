import HearthAccounts
import HearthClusterNode
import HearthConsole
import HearthCrypto
import HearthGateway

/// The journals, the cluster that shares them, the accounts, and the files that nodes share.
struct StorageParts: Sendable {
  let journals: ServerJournals
  /// The cluster's node; nil for a server by itself.
  let node: ClusterNode?
  let accounts: OpenedAccounts
  /// The store of the console's sessions; nil when no console is served.
  let consoleSessions: ConsoleSessionStore?
  /// The files that a cluster's nodes share; nil for a server by itself.
  let sharedFiles: SharedFiles?
  /// The shared files, or those of the data folder.
  let files: ServerFiles

  init(_ plan: ServerPlan, _ delivery: DeliveryParts, _ stack: PartStack) async throws(ServerError) {
    let (options, router, access) = (plan.options, delivery.router, delivery.access)
    let journals = try await BlockingThread.run { () throws(ServerError) in
      try ServerJournals(
        options.journal, dataDirectory: options.dataDirectory, isShared: options.cluster != nil, logger: options.logger)
    }
    self.journals = stack.add(journals)
    let node = stack.add(try await ClusterNode.join(options, journals, delivery.group))
    self.node = node
    let keys = plan.keys
    let accounts = try await BlockingThread.run { () throws(ServerError) in
      try OpenedAccounts.open(
        options, journals, node, keys: keys, environment: .ofServer(options.logger),
        onFollowedRevocation: { revocation, event, position in
          access?.end(revokedBy: revocation)
          router.follow(revocation, because: event, to: position)
        },
        onRevocation: { revocation, event in
          access?.end(revokedBy: revocation)
          return router.revoke(revocation, because: event)
        })
    }
    self.accounts = accounts
    stack.add(OpenAccounts(opened: accounts, finalSnapshotDeadline: plan.finalSnapshotDeadline))
    consoleSessions = stack.add(
      await BlockingThread.run { ConsoleSessionStore.open(options, access, plan.keys, accounts.keys) })
    node?.shareReceipts(of: accounts.store, router)
    sharedFiles = stack.add(
      try await BlockingThread.run { () throws(ServerError) in
        try SharedFiles.open(options, node, accounts.keys, router, access)
      })
    files = sharedFiles.map { ServerFiles($0) } ?? ServerFiles(plan.directory)
  }
}

extension ConsoleAccess {
  /// Ends the sessions whose credential was revoked.
  func end(revokedBy revocation: Revocation) {
    switch revocation {
    case .user(let uid): end(ofUser: uid)
    case .signingKey(let id): end(ofSigningKey: id)
    // Sessions are opened by links and by accounts of the project itself.
    case .tenant, .legacySession, .legacySecret, .serviceAccount, .foreignTokens: break
    }
  }
}

extension ServerJournals: ServerPart {
  func stop() async { await BlockingThread.run { self.close() } }
}

extension ClusterNode: ServerPart {
  func stop() async { await BlockingThread.run { self.close() } }
}

/// The accounts, with those of tenants and projects.
private struct OpenAccounts: ServerPart {
  let opened: OpenedAccounts
  let finalSnapshotDeadline: FinalSnapshotDeadline

  func stop() async {
    await BlockingThread.run {
      opened.accounts.closeEmulatorProjects()
      opened.store.close(snapshotsEnd: finalSnapshotDeadline.end)
    }
  }
}

extension SharedFiles: ServerPart {
  func stop() async { await BlockingThread.run { self.close() } }
}
