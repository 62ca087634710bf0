import Dispatch
import HearthClusterNode
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthRules
import HearthSystem
import Logging

extension DatabaseRegistry {
  /// Returns the databases of a server, none of which is open yet.
  ///
  /// - Parameter node: nil for a server by itself.
  static func ofServer(
    _ options: HearthServer.Options, _ engine: ServerJournals, _ node: ClusterNode? = nil, rules: RuleSet,
    router: EffectRouter, meters: DatabaseMetrics = .none
  ) throws(ServerError) -> DatabaseRegistry {
    var limits = options.databaseLimits
    limits.engine.countsRules = options.countsRules || options.accounts.isEmulator
    limits.engine.recordsAuthors = options.recordsAuthors
    limits.engine.listensBytesMax =
      options.listensBytesMax ?? EngineLimits.listensBytesMax(memoryBytes: Machine.current.memoryBytes)
    limits.history = options.history
    let directory = DataDirectory(path: options.dataDirectory)
    let registry = try DatabaseRegistry(
      journals: engine.databases, removed: RemovedDatabases(directory, journals: engine.databases),
      defaultNamespace: options.defaultNamespace, isDefaultNamed: options.isDefaultNamed,
      fallbacks: fallbackNamespaces(options), createsOnUse: options.mode == .dev, initialRules: rules, limits: limits,
      opener: node?.opener(router), closer: node?.closer() ?? closer,
      isShared: node != nil,
      environment: { name in environment(of: name, router, meters, options) }, logger: options.logger)
    registry.hooks.whenUnavailable { name in router.disconnectClientsForRetry(of: name) }
    return registry
  }

  /// Returns the databases that an emulator's requests without a name mean when they exist: those that the project's
  /// apps use, whose names tools lose.
  private static func fallbackNamespaces(_ options: HearthServer.Options) -> [String] {
    guard options.accounts.isEmulator, !options.isDefaultNamed else { return [] }
    let project = options.accounts.projectID
    return ["\(project)-default-rtdb", project]
  }

  /// Closes a server's own database. An idle one writes a snapshot for the next start.
  private static func closer(_ name: String, _ database: Database, _ reason: DatabaseClosing) -> Bool {
    let now = SystemClock.now.monotonicMilliseconds
    database.close(snapshotsEnd: reason == .idle ? now + idleSnapshotMilliseconds : .min)
    return true
  }

  private static let idleSnapshotMilliseconds: Int64 = 10_000

  private static func environment(
    of name: String, _ router: EffectRouter, _ meters: DatabaseMetrics, _ options: HearthServer.Options
  ) -> DatabaseEnvironment {
    var environment = DatabaseEnvironment(
      clock: { SystemClock.now },
      schedule: { DispatchQueue.schedule($0, $1) },
      deliver: { effects, arrival in router.deliver(effects, of: name, arrival: arrival) },
      notice: { notice in notice.log(name, options.logger) })
    environment.charge = { work in router.charge(work, of: name) }
    environment.deliveriesWaiting = { router.waitingRecipientCount(of: name) }
    environment.makeReaderCheck = { router.poolJobs.makeCheck() }
    environment.meters = meters
    environment.pages = options.cluster == nil ? options.pages : nil
    return environment
  }
}
