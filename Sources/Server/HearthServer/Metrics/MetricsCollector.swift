import Dispatch
import HearthAccounts
import HearthBackup
import HearthClusterNode
import HearthDatabase
import HearthGateway
import HearthMetrics
import HearthPluginHost
import HearthSystem
import HearthTransport

/// A collector of the response of `/.metrics`: counters, and values that are read at the time of the request. Concurrent
/// requests get the same response.
actor MetricsCollector {
  /// The sources of the values.
  struct Sources: Sendable {
    let registry: MetricsRegistry
    let services: GatewayServices
    let loops: [TransportLoop]
    let memory: ClientMemory
    let plugins: PluginHost
    let identityLimiter: IdentityRequestLimiter
    let dataDirectory: String
    /// The certificate; nil without TLS.
    let certificate: CertificateReloader?
    /// The cluster's node; nil for a server by itself.
    let node: ClusterNode?
  }

  private let sources: Sources
  private let queue = DispatchQueue(label: "hearth.metrics", qos: .utility)
  private let startSeconds = Double(Clock.wallMilliseconds) / 1_000
  private var current: Task<[UInt8], Never>?

  init(_ sources: Sources) { self.sources = sources }

  /// Returns the text of a scrape.
  func text() async -> [UInt8] {
    if let current { return await current.value }
    let task = Task { await collected() }
    current = task
    defer { current = nil }
    return await task.value
  }

  private nonisolated func collected() async -> [UInt8] {
    let start = Clock.monotonicNanoseconds
    var samples = MetricSamples()
    await addClients(to: &samples)
    // Databases may be deciding, and triggers and plugins be locked for a while: not on a shared thread.
    samples = await withCheckedContinuation { (done: CheckedContinuation<MetricSamples, Never>) in
      queue.async { [self, samples] in
        var samples = samples
        addDatabases(to: &samples)
        addAccounts(to: &samples)
        addPlugins(to: &samples)
        addTriggers(to: &samples)
        addCluster(to: &samples)
        addProcess(to: &samples)
        done.resume(returning: samples)
      }
    }
    samples.add(.scrape, Double(Clock.monotonicNanoseconds &- start) / 1e9)
    return samples.text(with: sources.registry.families())
  }

  private nonisolated func addClients(to samples: inout MetricSamples) async {
    let services = sources.services
    var connectionCount = 0
    for loop in sources.loops {
      connectionCount += (try? await loop.eventLoop.submit { loop.connectionCount }.get()) ?? 0
    }
    let loops = await services.router.figures()
    func sum(_ figure: KeyPath<LoopFigures, Int>) -> Int { loops.reduce(0) { $0 + $1[keyPath: figure] } }
    let clientCount = sum(\.clientCount)
    let sessionCount = min(clientCount, services.sessionCount)
    samples.add(.connections, Double(connectionCount))
    samples.add(.clients, Double(sessionCount), "session")
    samples.add(.clients, Double(clientCount - sessionCount), "stream")
    samples.add(.signedInClients, Double(sum(\.signedInCount)))
    samples.add(.pausedClients, Double(sum(\.pausedCount)))
    samples.add(.requestsWaiting, Double(sum(\.requestCount)))
    for (index, loop) in loops.enumerated() {
      samples.add(.recipientsWaiting, Double(loop.waitingRecipientCount), "\(index)")
    }
    samples.add(.clientMemory, Double(sources.memory.heldBytes))
    samples.add(.receiptsOpen, Double(services.openReceiptCount))
    samples.add(.ready, services.isReady ? 1 : 0)
  }

  private nonisolated func addDatabases(to samples: inout MetricSamples) {
    let open = sources.services.databases.openDatabases.sorted { $0.name < $1.name }
    for database in open {
      let (name, figures) = (database.name, database.figures())
      samples.add(.databaseUp, figures.isRunning ? 1 : 0, name)
      samples.add(.databaseConnections, Double(figures.connectionCount), name)
      for (kind, max) in sources.services.quotas.quotas(of: name).all {
        samples.add(.quota, Double(max), name, kind.rawValue)
      }
      samples.add(.listens, Double(figures.listenCount), name)
      samples.add(.commandsWaiting, Double(figures.waitingCommandCount), name)
      samples.add(.commandsWaitingBytes, Double(figures.waitingCommandBytes), name)
      samples.add(.largeWriteWaiting, Double(figures.largeWriteWaitingCount), name)
      samples.add(.batchesWaiting, Double(figures.waitingBatchCount), name)
      samples.add(.journalBytes, Double(figures.journalBytes), name)
      samples.add(.snapshotBytes, Double(figures.snapshotBytes), name)
      samples.add(.position, Double(figures.position), name)
      let root = database.published.root
      samples.add(.treeBytes, Double(root.heldBytes()), name)
      samples.add(.treeLeaves, Double(root.leafCount), name)
      if let pages = figures.pages { add(pages, of: name, to: &samples) }
    }
  }

  private nonisolated func add(_ pages: PageFigures, of database: String, to samples: inout MetricSamples) {
    for (metric, value) in [
      (MetricDescription.pageBytes, Double(pages.residentBytes)), (.pageDirtyBytes, Double(pages.dirtyBytes)),
      (.pageReads, Double(pages.loadCount)), (.pageReadFailures, Double(pages.failedLoadCount)),
      (.pageFileBytes, Double(pages.fileBytes)), (.pageDeadBytes, Double(pages.deadBytes)),
      (.pageHistoryBytes, Double(pages.historyBytes)),
      (.pageCleanedBytes, Double(pages.cleanedBytes)), (.checkpointBytes, Double(pages.checkpointBytes)),
      (.checkpointSeconds, Double(pages.checkpointMilliseconds) / 1_000),
    ] {
      samples.add(metric, value, database)
    }
  }

  private nonisolated func addAccounts(to samples: inout MetricSamples) {
    let hashes = sources.services.accounts.own.context.pool.currentLoad
    samples.add(.hashSlots, Double(hashes.slots))
    samples.add(.hashesRunning, Double(hashes.runningCount))
    samples.add(.hashesWaiting, Double(hashes.waitingCount))
    samples.add(.hashesRefused, Double(hashes.refusedCount))
    for bound in sources.services.accounts.own.spending {
      samples.add(.messagesSent, Double(bound.used), bound.name)
      samples.add(.messagesMax, Double(bound.max), bound.name)
    }
    samples.add(.identityInFlight, Double(sources.identityLimiter.inFlightCount))
  }

  private nonisolated func addPlugins(to samples: inout MetricSamples) {
    for plugin in sources.plugins.enabledStatuses() {
      samples.add(.pluginUp, plugin.state == PluginHealth.running.name ? 1 : 0, plugin.name)
      samples.add(.pluginRefused, Double(plugin.refusedCount), plugin.name)
      samples.add(.pluginRestarts, Double(plugin.restartCount), plugin.name)
      for hook in plugin.hooks {
        samples.add(.pluginRequests, Double(hook.requestCount), plugin.name, hook.hook.rawValue)
        samples.add(.pluginFailures, Double(hook.failureCount), plugin.name, hook.hook.rawValue)
        for (percent, microseconds) in [("50", hook.p50Microseconds), ("99", hook.p99Microseconds)] {
          guard let microseconds else { continue }
          samples.add(.pluginLatency, Double(microseconds) / 1e6, plugin.name, hook.hook.rawValue, percent)
        }
      }
    }
  }

  private nonisolated func addTriggers(to samples: inout MetricSamples) {
    for trigger in sources.services.triggers.sender.status.statuses() {
      let (name, figures) = (trigger.name, trigger.figures)
      samples.add(.triggerUp, trigger.isPaused || trigger.isUnreachable ? 0 : 1, name)
      samples.add(.triggerWaiting, Double(trigger.waitingCount), name)
      samples.add(.triggerWaitingBytes, Double(trigger.waitingBytes), name)
      samples.add(.triggerInFlight, Double(trigger.inFlightCount), name)
      samples.add(.triggerDead, Double(figures.deadCount), name)
      for (outcome, count) in [
        ("delivered", figures.deliveredCount), ("not_run", figures.notRunCount), ("failed", figures.failedCount),
        ("unknown", figures.unknownCount), ("refused", figures.refusedCount),
      ] {
        samples.add(.triggerAttempts, Double(count), name, outcome)
      }
    }
  }

  private nonisolated func addCluster(to samples: inout MetricSamples) {
    guard let status = sources.node?.status else { return }
    samples.add(.clusterLease, status.isLeaseValid ? 1 : 0)
    samples.add(.clusterConnections, Double(status.connected.count))
    samples.add(.clusterTakeovers, Double(status.counts.takeovers))
    samples.add(.clusterOwnershipEnds, Double(status.counts.ends))
    samples.add(.clusterDataLosses, Double(status.counts.losses))
    for (journal, member) in status.databases.sorted(by: { $0.0 < $1.0 }) {
      samples.add(.clusterOwned, member.role == .owner ? 1 : 0, journal)
      samples.add(.clusterServed, member.isServing ? 1 : 0, journal)
      if let asOf = member.freshAsOf {
        samples.add(
          .clusterReplicaAge, max(0, Double(status.now.milliseconds) - Double(asOf.milliseconds)) / 1_000, journal)
      }
      samples.add(.clusterSessions, Double(member.sessionCount), journal)
      samples.add(.clusterFollowers, Double(member.followerCount), journal)
    }
  }

  private nonisolated func addProcess(to samples: inout MetricSamples) {
    func add(_ metric: MetricDescription, _ value: Double?) { if let value { samples.add(metric, value) } }
    add(.residentMemory, ProcessStatistics.residentBytes().map(Double.init))
    add(.openFiles, ProcessStatistics.openFileCount.map(Double.init))
    add(.openFilesMax, ProcessStatistics.openFileCountMax.map(Double.init))
    add(.processorTime, ProcessStatistics.processorSeconds)
    add(.startTime, startSeconds)
    add(.certificateEnd, (sources.certificate?.validity.notAfterSeconds).map(Double.init))
    add(.lastBackup, BackupMarker.read(in: sources.dataDirectory).map { Double($0.instantMilliseconds) / 1_000 })
    add(.diskAvailable, FileSystemSpace(at: sources.dataDirectory).map { Double($0.availableBytes) })
    add(.diskLevel, Double(sources.services.space.level.rawValue))
  }
}
