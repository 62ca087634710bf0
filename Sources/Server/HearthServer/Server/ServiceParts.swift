import HearthAccounts
import HearthDatabase
import HearthGateway
import HearthPluginHost

/// The databases, the services over them, the plugins, and the background work.
struct ServiceParts: Sendable {
  let databases: DatabaseRegistry
  let services: GatewayServices
  let plugins: PluginHost
  let space: DiskSpaceMonitor
  /// The changes by other nodes; nil for a server by itself.
  let others: RemoteChanges?
  private let receivers: EventReceivers

  init(
    _ plan: ServerPlan, _ delivery: DeliveryParts, _ storage: StorageParts, _ stack: PartStack
  ) async throws(ServerError) {
    let options = plan.options
    let receivers = EventReceivers(options.plugins.receivers)
    let plugins = PluginHost.ofServer(options, storage.accounts, receivers)
    let databases = try DatabaseRegistry.ofServer(
      options, storage.journals, storage.node, rules: plan.rules, router: delivery.router, meters: plan.meters.databases
    )
    var services = try GatewayServices.ofServer(
      options, storage.accounts, databases, router: delivery.router, proxies: plan.proxies, files: storage.files,
      denials: delivery.denials,
      receivers: receivers, memory: plan.memory, meters: plan.meters.gateway, console: delivery.access?.credentials,
      group: delivery.group)
    let collector = MetricsCollector(
      .init(
        registry: options.metrics, services: services, loops: delivery.loops, memory: plan.memory, plugins: plugins,
        identityLimiter: plan.identityLimiter, dataDirectory: options.dataDirectory, certificate: plan.certificate,
        node: storage.node))
    services.metrics = { await collector.text() }
    if let token = plan.metricsToken { services.admitsScraper = { token.admits($0) } }
    services.phase.value = .starting
    services.pool.start()
    stack.add(services.pool)
    stack.add(
      OpenDatabases(databases: databases, services: services, finalSnapshotDeadline: plan.finalSnapshotDeadline))
    if let shared = storage.sharedFiles { shared.updateOnChange(storage.accounts.keys, services) }
    stack.add(JournalMonitor(storage.journals.store, services.storage, storage.node, logger: options.logger))
    space = DiskSpaceMonitor(options, services)
    others = storage.node.map { RemoteChanges($0, databases, services, storage.sharedFiles) }
    (self.databases, self.services, self.plugins, self.receivers) = (databases, services, plugins, receivers)
  }

  /// Opens the databases that are open from the start, connects triggers to databases and accounts, and starts the
  /// background work and the plugins.
  func start(_ plan: ServerPlan, _ storage: StorageParts, _ stack: PartStack) async throws(ServerError) {
    let triggers = services.triggers
    databases.hooks.whenOpened { [services, space] database in
      space.opened(database)
      services.loadQuotas(of: database.name)
      services.rules.resume(database)
      triggers.attach(database)
    }
    databases.hooks.setOutboxes { [isShared = storage.node != nil] name in
      // The owner node sends the events.
      if isShared { triggers.sender.setSending(false, of: name) }
      return triggers.outbox(of: name)
    }
    databases.hooks.whenOwnershipChanges { triggers.sender.setSending($1, of: $0) }
    try await ServerRules.openDefault(plan.options, plan.rules, services)
    for name in triggers.neededNames { _ = try? await services.openDatabase(name) }
    storage.accounts.ownership?.observe { triggers.setSendsUserEvents($0) }
    triggers.attachUsers()
    receivers.whenChanged { triggers.sender.pluginsChanged() }
    for task in PeriodicTask.ofServer(plan.options, databases, services, others) { stack.add(task) }
    // Before the first client: deciding hooks must be ready.
    stack.add(plugins)
    await plugins.reload(waits: false)
  }
}

/// The open databases, and their event senders.
private struct OpenDatabases: ServerPart {
  let databases: DatabaseRegistry
  let services: GatewayServices
  let finalSnapshotDeadline: FinalSnapshotDeadline

  func stop() async {
    // Databases close on a thread that may block.
    await BlockingThread.run {
      services.triggers.sender.stop()
      services.endHistory()
      databases.close(snapshotsEnd: finalSnapshotDeadline.end)
    }
  }
}

extension LargeValuePool: ServerPart {}

extension PluginHost: ServerPart {}

extension PeriodicTask: ServerPart {
  /// Makes the background work of a server.
  ///
  /// - Parameter others: nil for a server by itself.
  fileprivate static func ofServer(
    _ options: HearthServer.Options, _ databases: DatabaseRegistry, _ services: GatewayServices,
    _ others: RemoteChanges?
  ) -> [PeriodicTask] {
    var tasks = [
      // Removes dead letters of triggers that are too old or too many.
      PeriodicTask(every: .seconds(3_600)) { await BlockingThread.run { services.triggers.removeOldDeadLetters() } },
      // Counts the stored bytes of databases with a limit.
      PeriodicTask(every: .seconds(QuotaRegistry.storageCheckSeconds), .afterPause) {
        guard services.quotas.limitsStorage else { return }
        await BlockingThread.run { services.reviewStorage() }
      },
    ]
    if let others {
      // Finds databases that other nodes have made.
      tasks.append(PeriodicTask(every: .seconds(2)) { await BlockingThread.run { others.refresh() } })
    }
    if let seconds = options.closesIdleAfterSeconds {
      tasks.append(
        PeriodicTask(every: .seconds(max(1, min(30, seconds / 4)))) {
          let needed = Set(services.triggers.neededNames)
          await BlockingThread.run {
            databases.closeIdle(
              forMilliseconds: Int64(seconds) * 1_000, at: SystemClock.now.monotonicMilliseconds,
              isNeeded: { $0.trial != nil || needed.contains($0.name) })
          }
        })
    }
    return tasks
  }
}
