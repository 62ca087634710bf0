import Dispatch
import HearthBytes
import HearthClusterNode
import HearthCrypto
import HearthDatabase
import HearthEngine
import HearthGateway
import HearthOutbound
import HearthOutbox
import HearthPluginHost
import HearthRules
import HearthSystem
import HearthTransport
import HearthTriggers
import HearthWire
import HearthWorkbench
import Logging
import NIOPosix

/// The steps of a start, each of which can fail with a sentence for the operator.
extension ServerParts {
  static func check(_ options: HearthServer.Options) throws(ServerError) {
    guard Namespace.isValid(options.defaultNamespace) else {
      throw ServerError(.badOptions, "\"\(options.defaultNamespace)\" cannot name a database: use a-z, 0-9, _ and -")
    }
    guard (0...65_535).contains(options.port) else {
      throw ServerError(.badOptions, "\(options.port) is not a port")
    }
    guard options.accounts.isEmulator else { return }
    guard IPAddress.isLoopback(host: options.host) || !options.emulatorAllows.isEmpty, options.tls == nil else {
      throw ServerError(
        .badOptions, "emulator mode lets anybody in as an administrator: only on a loopback address, without TLS")
    }
    options.logger.warning("emulator mode: \"owner\" and unsigned tokens are accepted from this machine")
    guard !options.emulatorAllows.isEmpty else { return }
    options.logger.warning(
      "emulator mode: these networks have all rights of an administrator, too",
      metadata: ["networks": "\(options.emulatorAllows.joined(separator: " "))"])
  }

  /// The networks whose programs an emulator treats as those of its own machine; none without an emulator.
  static func emulatorClients(_ options: HearthServer.Options) throws(ServerError) -> EmulatorClients {
    guard options.accounts.isEmulator else { return .none }
    do { return try EmulatorClients(options.emulatorAllows) } catch { throw ServerError(.badOptions, "\(error)") }
  }

  static func prepare(_ options: HearthServer.Options) throws(ServerError) -> KeyStore {
    let directory = DataDirectory(path: options.dataDirectory)
    try directory.create()
    if let cluster = options.cluster {
      try ClusterKeys(identityFolder: cluster.identityFolder).install(in: directory.keysPath)
    }
    do {
      return try KeyStore(directory: directory.keysPath)
    } catch {
      throw ServerError(.storage, error.description)
    }
  }

  static func receiptArchive(_ options: HearthServer.Options) throws(ServerError) -> ReceiptArchive {
    do { return try ReceiptArchive(dataDirectory: options.dataDirectory, logger: options.logger) } catch {
      throw ServerError(.storage, error.description)
    }
  }

  static func certificate(_ options: HearthServer.Options) throws(ServerError) -> CertificateWatch? {
    guard let tls = options.tls else { return nil }
    do {
      return try CertificateWatch(TLSFiles(certificatePath: tls.certificatePath, keyPath: tls.keyPath))
    } catch {
      throw ServerError(.badCertificate, error.description)
    }
  }

  static func metricsToken(_ options: HearthServer.Options) throws(ServerError) -> MetricsToken? {
    guard let path = options.metricsTokenPath else { return nil }
    do { return try MetricsToken(path: path, logger: options.logger) } catch {
      throw ServerError(.badOptions, error.description)
    }
  }

  /// The plugins of the data folder, none of which runs yet.
  static func plugins(
    _ options: HearthServer.Options, _ accounts: OpenedAccounts, _ receivers: EventReceivers
  ) -> PluginHost {
    let (logger, own) = (options.logger, accounts.accounts.own)
    return PluginHost(
      dataDirectory: options.dataDirectory,
      .init(
        server: "hearth", ownProviderIDs: Set(options.plugins.providers.map(\.manifest.id)),
        apply: { further in
          own.setFurtherPlugins(further)
          receivers.set(further.receivers)
        },
        revoke: { own.foreignTokens.revoke($1, of: $0) },
        log: { isWarning, plugin, text in
          logger.log(level: isWarning ? .warning : .info, "plugin \(plugin): \(text)")
        }))
  }

  static func databases(
    _ options: HearthServer.Options, _ engine: JournalEngine, _ node: ClusterNode? = nil, rules: RuleSet,
    router: EffectRouter, meters: DatabaseMeters = .none
  ) throws(ServerError) -> DatabaseRegistry {
    var limits = DatabaseLimits()
    limits.engine.countsRules = options.countsRules || options.accounts.isEmulator
    limits.engine.recordsAuthors = options.recordsAuthors
    limits.engine.listensBytesMax =
      options.listensBytesMax ?? EngineLimits.listensBytesMax(memoryBytes: Machine.current.memoryBytes)
    limits.history = options.history
    let directory = DataDirectory(path: options.dataDirectory)
    let registry = try DatabaseRegistry(
      journals: engine.databases, removed: RemovedDatabases(directory, journals: engine.databases),
      defaultNamespace: options.defaultNamespace, isDefaultNamed: options.isDefaultNamed,
      unnamed: unnamedNamespaces(options), createsOnUse: options.mode == .dev, initialRules: rules, limits: limits,
      opener: node.map { opener($0, router) },
      closer: node.map { closer($0) } ?? closer,
      isShared: node != nil,
      environment: { name in environment(of: name, router, meters, options.logger) }, logger: options.logger)
    registry.whenAway { name in router.sendAwayClients(of: name) }
    return registry
  }

  /// The databases that an emulator's requests without a name mean when they exist: those that apps of the project use.
  /// Tools lose the name on the way.
  private static func unnamedNamespaces(_ options: HearthServer.Options) -> [String] {
    guard options.accounts.isEmulator, !options.isDefaultNamed else { return [] }
    let project = options.accounts.projectID
    return ["\(project)-default-rtdb", project]
  }

  /// Closes a server's own databases. One that is idle leaves a snapshot for the next time.
  private static func closer(_ name: String, _ database: Database, _ reason: DatabaseClosing) -> Bool {
    let now = SystemClock.now.monotonicMilliseconds
    database.close(snapshotsEnd: reason == .idle ? now + idleSnapshotMilliseconds : .min)
    return true
  }

  private static let idleSnapshotMilliseconds: Int64 = 10_000

  static func proxies(_ options: HearthServer.Options) throws(ServerError) -> TrustedProxies {
    do { return try TrustedProxies(options.accounts.trustedProxies) } catch {
      throw ServerError(.badOptions, error.description)
    }
  }

  static func services(
    _ options: HearthServer.Options, _ accounts: OpenedAccounts, _ databases: DatabaseRegistry, router: EffectRouter,
    files: ServerFiles, denials: DenialLog, receivers: EventReceivers, memory: ClientMemory,
    meters: GatewayMeters = .none, console: ConsoleCredentials? = nil, group: MultiThreadedEventLoopGroup
  ) throws(ServerError) -> GatewayServices {
    let gate = CredentialGate(
      accounts: accounts.accounts, logger: options.logger, meters: meters, console: console)
    let proxies = try proxies(options)
    var services = GatewayServices(
      databases: databases, gate: gate, accounts: accounts.accounts, proxies: proxies, router: router, denials: denials,
      settings: files.settings, versions: files.versions,
      triggers: triggers(options, files, receivers, group: group),
      memory: memory, meters: meters, logger: options.logger,
      isEmulator: options.accounts.isEmulator)
    services.emulatorClients = try emulatorClients(options)
    services.coveragePage = { CoverageReport([(file: "rules.json", coverage: $0)]).html }
    return services
  }

  /// - Parameter group: carries requests to receivers on this machine; without one they go the way of all others.
  static func triggers(
    _ options: HearthServer.Options, _ files: ServerFiles, _ receivers: EventReceivers,
    group: MultiThreadedEventLoopGroup?
  ) -> TriggerOptions {
    // What stands before the path of the server's own URL.
    let url = options.accounts.publicURL
    let host = url.split(separator: "/").last.map(String.init) ?? options.host
    let pool = OutboundPool(slots: TriggerLimits.inFlightMax)
    let environment = SenderEnvironment(
      clock: { SystemClock.now.wallMilliseconds }, chance: { Double.random(in: 0...1) },
      schedule: { DispatchQueue.schedule($0, $1) },
      client: { policy in
        let client = OutboundClient(policy: policy, pool: pool, keepsConnections: true)
        guard let group, policy.allowsPlainHTTP else { return client }
        return LocalHTTP(on: group.next(), others: client)
      },
      receiver: { receivers.receiver(named: $0) }, project: options.accounts.projectID, host: host)
    return TriggerOptions(
      files: files.triggers, home: files.triggersHome, environment: environment,
      isSending: options.sendsEvents, functionsEmulator: options.functionsEmulator,
      projectID: options.accounts.projectID)
  }

  private static func environment(
    of name: String, _ router: EffectRouter, _ meters: DatabaseMeters, _ logger: Logger
  ) -> DatabaseEnvironment {
    var environment = DatabaseEnvironment(
      clock: { SystemClock.now },
      schedule: { DispatchQueue.schedule($0, $1) },
      deliver: { effects, arrival in router.deliver(effects, of: name, arrival: arrival) },
      notice: { notice in log(notice, of: name, logger) })
    environment.charge = { work in router.charge(work, of: name) }
    environment.meters = meters
    return environment
  }

  static func log(_ notice: DatabaseNotice, of name: String, _ logger: Logger) {
    switch notice {
    case .stalled(let error) where error.code == .unavailable:
      logger.error(
        "PostgreSQL does not answer: writes are refused until it does, and what was under way waits",
        metadata: ["database": "\(name)", "error": "\(error)"])
    case .stalled(let error) where error.code == .diskFault:
      logger.error(
        "the disk does not work: writes are refused until it does, and what was under way waits",
        metadata: ["database": "\(name)", "error": "\(error)"])
    case .stalled(let error):
      logger.error(
        "no room on the disk: writes are refused until there is, and what was under way waits",
        metadata: ["database": "\(name)", "error": "\(error)"])
    case .resumed(let milliseconds):
      logger.notice(
        "storing goes on: everything that waited is stored",
        metadata: ["database": "\(name)", "milliseconds": "\(milliseconds)"])
    case .halted(let error):
      logger.critical(
        "the journal failed: the database takes no writes until the server is started again",
        metadata: ["database": "\(name)", "error": "\(error)"])
    case .snapshotWritten(let position, let sizeBytes):
      logger.debug(
        "snapshot written", metadata: ["database": "\(name)", "position": "\(position)", "bytes": "\(sizeBytes)"])
    case .snapshotFailed(let error):
      logger.error("snapshot failed", metadata: ["database": "\(name)", "error": "\(error)"])
    case .snapshotTooLarge(let roomBytes):
      logger.warning(
        "there is too little room for a snapshot: the log grows instead, and a restart takes longer",
        metadata: ["database": "\(name)", "room": "\(roomBytes)"])
    case .historyShortened(let position, let sizeBytesMax):
      logger.warning(
        "history does not reach back as far as asked for: it takes more bytes than it may",
        metadata: ["database": "\(name)", "oldest": "\(position)", "bytes": "\(sizeBytesMax)"])
    case .pruningFailed(let error):
      logger.error("old history could not be removed", metadata: ["database": "\(name)", "error": "\(error)"])
    case .closeFailed(let error):
      logger.error("the journal could not be closed", metadata: ["database": "\(name)", "error": "\(error)"])
    }
  }

  /// The default database is there from the start; the rules file is the operator's latest word about it.
  static func open(
    _ options: HearthServer.Options, rules: RuleSet, _ services: GatewayServices
  ) async throws(ServerError) {
    let database = try await database(options.defaultNamespace, services)
    guard options.rules != nil, database.published.rules.source != rules.source else {
      return services.logger.warn(of: database.published.rules, in: database.name)
    }
    try await deploy(rules, to: database, .file(options.rulesPath), services)
  }

  /// The hub of an emulator that says where its parts are.
  static func hub(
    _ options: HearthServer.Options, _ services: GatewayServices, _ databases: DatabaseRegistry
  ) -> EmulatorHub? {
    guard options.accounts.isEmulator, let ports = options.emulatorPorts else { return nil }
    return EmulatorHub(
      services: services, host: options.host, ports: ports, export: options.emulatorExport,
      databases: { databases.names })
  }

  static func listen(
    _ options: HearthServer.Options, tls: ServedContext?, group: MultiThreadedEventLoopGroup,
    loops: [TransportLoop], _ services: GatewayServices, _ routes: ServerRoutes
  ) async throws(ServerError) -> Transport {
    let responder = routes.list(for: .port)
    var transport = Transport.Options()
    transport.proxies = services.proxies
    (transport.host, transport.port) = (options.host, options.port)
    if options.accounts.isEmulator {
      transport.furtherPorts = options.emulatorPorts?.others(beside: options.port) ?? []
    }
    (transport.tls, transport.allowsPlaintext) = (tls, tls == nil)
    transport.local = localSocket(options)
    if let place = options.console.place, options.console.isServed {
      transport.place = consolePlace(place, services, routes, tls: tls)
    }
    do {
      return try await Transport.start(
        transport, group: group, loops: loops,
        responder: responder, localResponder: routes.list(for: .folder),
        acceptor: ServerSocketAcceptor(services: services, responder: responder))
    } catch let error as Transport.PlaceProblem {
      throw ServerError(.cannotBind, "cannot listen on --console \(error)")
    } catch {
      throw ServerError(.cannotBind, "cannot listen on \(options.host) port \(Self.ports(transport)): \(error)")
    }
  }

  private static func ports(_ transport: Transport.Options) -> String {
    ([transport.port] + transport.furtherPorts).map(String.init).joined(separator: ", ")
  }

  /// Where the file system has no sockets, databases and accounts are served all the same.
  private static func localSocket(_ options: HearthServer.Options) -> LocalSocket.Listener? {
    do {
      return try LocalSocket(dataDirectory: options.dataDirectory).listen()
    } catch {
      options.logger.warning(
        "commands on the data folder do not reach this server; name it with --server: \(error.description)")
      return nil
    }
  }
}
