import Glibc
import HearthAccounts
import HearthClusterNode
import HearthConsole
import HearthGateway
import HearthPluginHost
import HearthSystem
import HearthTransport
import NIOCore
import NIOPosix
import Synchronization

/// What a started server is made of, put together in order and taken apart again: the inside of a ``HearthServer``, which
/// holds one of these from its start to its stop and is all that others see.
final class ServerParts: Sendable {
  let transport: Transport
  private let group: MultiThreadedEventLoopGroup
  let databases: DatabaseRegistry
  let services: GatewayServices
  /// What is answered over HTTP.
  let routes: ServerRoutes
  private let journals: JournalEngine
  /// Nil for a server by itself.
  let node: ClusterNode?
  /// What is set for databases, where a cluster's nodes share it.
  private let sharedFiles: SharedFiles?
  private let accounts: OpenedAccounts
  /// Nil on a node of a cluster: keys that one node replaced, the others would not know.
  private let keyCare: KeyCare
  let spaceCare: SpaceCare
  /// Nil when journals are in the data folder.
  private let journalCare: JournalCare?
  /// Nil without TLS.
  let certificateCare: CertificateCare?
  private let plugins: PluginHost
  /// Looks what databases other nodes have made. Nil for a server by itself.
  private let nameCare: PeriodicTask?
  /// Closes databases that nobody uses. Nil when they stay open.
  private let idleCare: PeriodicTask?
  /// Removes dead letters of triggers that are too old or too much.
  private let triggerCare: PeriodicTask
  /// Counts what is stored in the databases where that is limited.
  private let storageCare: PeriodicTask
  /// Ends console sessions of users who may not be in any more. Nil where no account opens the console.
  private let consoleCare: PeriodicTask?
  private let erasures: ErasureDesk
  private let load: IdentityLoad
  private let dataDirectory: String
  /// The text of the rules that databases without rules of their own follow.
  let followedRules: Mutex<String>

  init(_ options: HearthServer.Options) async throws(ServerError) {
    try Self.check(options)
    Allocator.configure()
    let rules =
      try options.rules.map { text throws(ServerError) in
        try HearthServer.compile(text, file: options.rulesPath)
      } ?? .denyAll
    let keys = try Self.prepare(options)
    let certificate = try Self.certificate(options)
    let threads = min(options.ioThreadCount > 0 ? options.ioThreadCount : System.coreCount, LoopHub.loopsMax)
    group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    followedRules = Mutex(rules.source)
    dataDirectory = options.dataDirectory
    let log = LogRing()
    let options = options.keeping(log)
    load = IdentityLoad(max: options.identityRequestsMax)
    var engine: JournalEngine?
    var joined: ClusterNode?
    var care: JournalCare?
    var opened: OpenedAccounts?
    var files: SharedFiles?
    var started: (DatabaseRegistry, GatewayServices)?
    var listening: Transport?
    var host: PluginHost?
    do throws(ServerError) {
      let memory = options.memory ?? .ofThisMachine()
      let proxies = try Self.proxies(options)
      let meters = ServerMeters(options.metrics)
      let loops = Transport.loops(
        of: group, memory: memory, requestIDs: RequestIDs(proxies: proxies), meters: meters.transport)
      let access = options.console.isServed ? ConsoleAccess() : nil
      let denials = DenialLog(
        logger: options.logger, meters: meters.gateway, feed: access == nil ? nil : DenialFeed(),
        keepsValues: options.console.keepsDenialValues)
      let archive = try Self.receiptArchive(options)
      let router = await EffectRouter(
        loops: loops.map(\.eventLoop), denials: denials,
        receipts: ReceiptDesk(
          node: options.cluster?.node.name, archive: archive, logger: options.logger, meters: meters.gateway),
        meters: meters.gateway)
      access?.whenEnded { router.endConsoleSessions($0) }
      let journals = try await BlockingThread.run { () throws(ServerError) in
        try JournalEngine(
          options.journal, dataDirectory: options.dataDirectory, isShared: options.cluster != nil,
          logger: options.logger)
      }
      (engine, self.journals) = (journals, journals)
      let node = try await Self.join(options, journals, group)
      (joined, self.node) = (node, node)
      accounts = try await BlockingThread.run { () throws(ServerError) in
        let environment = AccountsEnvironment.ofServer(options.logger)
        return try OpenedAccounts.open(
          options, journals, node, keys: keys, environment: environment,
          onFollowedRevocation: { revocation, event, position in
            if case .user(let uid) = revocation { access?.end(ofUser: uid) }
            router.follow(revocation, because: event, to: position)
          },
          onRevocation: { revocation, event in
            if case .user(let uid) = revocation { access?.end(ofUser: uid) }
            return router.revoke(revocation, because: event)
          })
      }
      opened = accounts
      if let node { Self.shareReceipts(node, accounts.store, router) }
      let shared = try await BlockingThread.run { [accounts] () throws(ServerError) in
        try Self.sharedFiles(options, node, accounts.keys, router)
      }
      (files, sharedFiles) = (shared, shared)
      let receivers = EventReceivers(options.plugins.receivers)
      plugins = Self.plugins(options, accounts, receivers)
      host = plugins
      databases = try Self.databases(options, journals, node, rules: rules, router: router, meters: meters.databases)
      var services = try Self.services(
        options, accounts, databases, router: router,
        files: shared.map { ServerFiles($0) } ?? ServerFiles(DataDirectory(path: options.dataDirectory)),
        denials: denials, receivers: receivers, memory: memory, meters: meters.gateway, console: access?.credentials,
        group: group)
      let collector = MetricsCollector(
        .init(
          registry: options.metrics, services: services, loops: loops, memory: memory, plugins: plugins, load: load,
          dataDirectory: options.dataDirectory, certificate: certificate, node: node))
      services.metrics = { await collector.text() }
      if let token = try Self.metricsToken(options) { services.admitsScraper = { token.admits($0) } }
      self.services = services
      services.phase.value = .starting
      started = (databases, services)
      services.pool.start()
      if let shared { Self.follow(shared, accounts.keys, services) }
      care = JournalCare(journals, services.storage, node, logger: options.logger)
      journalCare = care
      let space = SpaceCare(options, services)
      spaceCare = space
      databases.whenOpened { [services] database in
        space.opened(database)
        services.loadQuotas(of: database.name)
        services.rules.resume(database)
        services.triggers.attach(database)
      }
      databases.setOutboxes { [triggers = services.triggers, isShared = node != nil] name in
        // The node that owns it sends.
        if isShared { triggers.sender.setSending(false, of: name) }
        return triggers.outbox(of: name)
      }
      databases.whenOwnershipChanges { [sender = services.triggers.sender] in sender.setSending($1, of: $0) }
      try await Self.open(options, rules: rules, services)
      for name in services.triggers.neededNames { _ = try? await Self.database(name, services) }
      accounts.ownership?.tell { [triggers = services.triggers] in triggers.setSendingOfUsers($0) }
      services.triggers.attachUsers()
      receivers.whenChanged { [sender = services.triggers.sender] in sender.pluginsChanged() }
      triggerCare = PeriodicTask(every: .seconds(3_600)) { [triggers = services.triggers] in
        await BlockingThread.run { triggers.tidy() }
      }
      let others = node.map { [databases, services] in OtherNodes($0, databases, services, shared) }
      nameCare = others.map { others in
        PeriodicTask(every: .seconds(2)) { await BlockingThread.run { others.look() } }
      }
      idleCare = options.closesIdleAfterSeconds.map { [databases, services] seconds in
        PeriodicTask(every: .seconds(max(1, min(30, seconds / 4)))) {
          let needed = Set(services.triggers.neededNames)
          await BlockingThread.run {
            databases.closeIdle(
              forMilliseconds: Int64(seconds) * 1_000, at: SystemClock.now.monotonicMilliseconds,
              isNeeded: { $0.trial != nil || needed.contains($0.name) })
          }
        }
      }
      storageCare = PeriodicTask(every: .seconds(QuotaDesk.storageLookSeconds), .afterPause) { [services] in
        guard services.quotas.limitsStorage else { return }
        await BlockingThread.run { services.reviewStorage() }
      }
      // Before anybody is let in: what is to decide on that must be there.
      await plugins.reload(waits: false)
      erasures = ErasureDesk(
        folder: DataDirectory(path: options.dataDirectory).erasuresPath, services: services)
      routes = ServerRoutes(
        services: services, load: load, hub: Self.hub(options, services, databases), plugins: plugins,
        erasures: erasures,
        console: access.map { [accounts] in
          Self.console(options, $0, accounts.accounts.own, log, names: certificate?.names ?? [])
        },
        cluster: node.map { [accounts] in
          ClusterRoutes(
            $0, accounts.store, prefix: JournalEngine.databasesPrefix, proxies: proxies, logger: options.logger
          ) { await others?.catchUp() }
        })
      consoleCare =
        options.console.claim == nil
        ? nil
        : routes.console.map { console in
          PeriodicTask(every: .milliseconds(500)) { console.endLapsedSessions() }
        }
      if let node, let others {
        databases.whenRemoved { await node.haveOthersLook() }
        node.lookWhenAsked(others, on: group.next())
      }
      node?.openAsked(databases, on: group.next())
      node?.answerQuestions(routes, loops: loops, proxies: proxies, logger: options.logger)
      transport = try await Self.listen(
        options, tls: certificate?.served, group: group, loops: loops, services, routes)
      listening = transport
      Self.openConsole(options, transport, routes)
      try Self.announce(options, port: transport.port ?? 0)
    } catch {
      await listening?.shutDown()
      await host?.stop()
      await care?.stop()
      await Self.end(started, files, opened, joined, engine, group)
      throw error
    }
    keyCare = KeyCare(accounts.keys, isEmulator: options.accounts.isEmulator, logger: options.logger)
    certificateCare = certificate.map { CertificateCare($0, logger: options.logger) }
    await spaceCare.start()
    accounts.warnOfSlowHashes(options)
    // Of several nodes the one that owns the accounts writes it down.
    if node.map({ $0.owner(of: AccountStore.journalName) == $0.name }) ?? true {
      await accounts.accounts.own.recordStart()
    }
    services.phase.value = .serving
    if node == nil { erasures.resume() }
    options.logger.info("serving", metadata: ["host": "\(options.host)", "port": "\(transport.port ?? 0)"])
  }

  func stop() async {
    services.phase.value = .draining
    // While clients are served here, so that they find their databases owned when they come to another node.
    if let node { await node.leave() }
    journals.hurry()
    ServerFile.remove(dataDirectory: dataDirectory)
    await keyCare.stop()
    await certificateCare?.stop()
    await spaceCare.stop()
    await triggerCare.stop()
    await nameCare?.stop()
    await idleCare?.stop()
    await storageCare.stop()
    await consoleCare?.stop()
    await erasures.stop()
    services.router.receipts.dismissWaiters()
    services.rules.close()
    await transport.shutDown()
    await load.drain()
    await accounts.accounts.own.finishMails()
    await accounts.accounts.own.finishPlugins()
    await plugins.stop()
    await journalCare?.stop()
    await Self.end((databases, services), sharedFiles, accounts, node, journals, group)
    services.logger.info("stopped")
  }

  /// How long snapshots are written for that make the next start fast, of all databases together.
  private static let endSnapshotMilliseconds: Int64 = 3_000

  /// Closes what was opened, however far the start came. Databases close on a thread that may block.
  private static func end(
    _ started: (databases: DatabaseRegistry, services: GatewayServices)?, _ files: SharedFiles?,
    _ accounts: OpenedAccounts?,
    _ node: ClusterNode?, _ engine: JournalEngine?, _ group: MultiThreadedEventLoopGroup
  ) async {
    await BlockingThread.run {
      started?.services.triggers.sender.stop()
      started?.services.endHistory()
      let snapshotsEnd = SystemClock.now.monotonicMilliseconds + endSnapshotMilliseconds
      started?.databases.close(snapshotsEnd: snapshotsEnd)
      files?.close()
      accounts?.accounts.closeOthers()
      accounts?.store.close(snapshotsEnd: snapshotsEnd)
      node?.close()
      engine?.close()
      started?.services.router.receipts.close()
    }
    await started?.services.pool.stop()
    try? await group.shutdownGracefully()
  }

  private static func announce(_ options: HearthServer.Options, port: Int) throws(ServerError) {
    let file = ServerFile(
      processID: getpid(), url: ServerFile.url(host: options.host, port: port, isEncrypted: options.tls != nil),
      projectID: options.accounts.projectID, defaultNamespace: options.defaultNamespace)
    try file.write(dataDirectory: options.dataDirectory)
  }
}
