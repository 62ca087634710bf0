import Dispatch
import Glibc
import HearthAccounts
import HearthCrypto
import HearthEngine
import HearthRules
import HearthWire
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that has started: everything put together.
final class Running: Sendable {
  let transport: Transport
  private let group: MultiThreadedEventLoopGroup
  private let services: ServerServices
  private let accounts: AccountsSetup
  private let keyCare: KeyCare
  private let load: IdentityLoad
  private let dataDirectory: String
  /// The text of the rules that databases without rules of their own follow.
  private let followedRules: Mutex<String>

  init(_ options: HearthServer.Options) async throws(ServerError) {
    try Self.check(options)
    let rules = try options.rules.map(HearthServer.compile) ?? .denyAll
    let keys = try Self.prepare(options)
    let tls = try Self.tls(options)
    let threads = min(options.ioThreadCount > 0 ? options.ioThreadCount : System.coreCount, LoopHub.loopsMax)
    group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    followedRules = Mutex(rules.source)
    dataDirectory = options.dataDirectory
    load = IdentityLoad(max: options.accounts.requestsMax)
    var opened: AccountsSetup?
    var started: ServerServices?
    var listening: Transport?
    do throws(ServerError) {
      let loops = Transport.loops(of: group)
      let denials = DenialLog(logger: options.logger)
      let router = await EffectRouter(loops: loops.map(\.eventLoop), denials: denials)
      accounts = try await Self.onBlockingThread { () throws(ServerError) in
        try AccountsSetup.open(options, keys: keys, router: router)
      }
      opened = accounts
      services = try Self.services(options, accounts, rules: rules, router: router, denials: denials)
      started = services
      services.pool.start()
      try await Self.open(options, rules: rules, services)
      transport = try await Self.listen(options, tls: tls, group: group, loops: loops, services, load)
      listening = transport
      try Self.announce(options, port: transport.port ?? 0)
    } catch {
      await listening?.shutDown()
      await Self.end(started, opened, group)
      throw error
    }
    keyCare = KeyCare(accounts.keys, logger: options.logger)
    accounts.warnOfSlowHashes(options)
    options.logger.info("serving", metadata: ["host": "\(options.host)", "port": "\(transport.port ?? 0)"])
  }

  func stop() async {
    ServerFile.remove(dataDirectory: dataDirectory)
    await keyCare.stop()
    await transport.shutDown()
    await load.drain()
    await accounts.accounts.finishMails()
    await Self.end(services, accounts, group)
    services.logger.info("stopped")
  }

  /// Closes what was opened, however far the start came. Databases close on a thread that may block.
  private static func end(
    _ services: ServerServices?, _ accounts: AccountsSetup?, _ group: MultiThreadedEventLoopGroup
  ) async {
    await onBlockingThread {
      services?.registry.close()
      accounts?.store.close()
    }
    await services?.pool.stop()
    try? await group.shutdownGracefully()
  }

  /// Runs what waits for files where nobody else waits for it.
  private static func onBlockingThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (done: CheckedContinuation<Result<Value, Failure>, Never>) in
      DispatchQueue.global().async { done.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }

  private static func announce(_ options: HearthServer.Options, port: Int) throws(ServerError) {
    let file = ServerFile(
      processID: getpid(), url: ServerFile.url(host: options.host, port: port, isEncrypted: options.tls != nil),
      projectID: options.projectID, defaultNamespace: options.defaultNamespace)
    try file.write(dataDirectory: options.dataDirectory)
  }
}

// MARK: Starting

extension Running {
  private static func check(_ options: HearthServer.Options) throws(ServerError) {
    guard Namespace.isValid(options.defaultNamespace) else {
      throw ServerError(.badOptions, "\"\(options.defaultNamespace)\" cannot name a database: use a-z, 0-9, _ and -")
    }
    guard (0...65_535).contains(options.port) else {
      throw ServerError(.badOptions, "\(options.port) is not a port")
    }
    guard options.isEmulator else { return }
    guard ["127.0.0.1", "::1", "localhost"].contains(options.host), options.tls == nil else {
      throw ServerError(
        .badOptions, "emulator mode lets anybody in as an administrator: only on a loopback address, without TLS")
    }
    options.logger.warning("emulator mode: \"owner\" and unsigned tokens are accepted from this machine")
  }

  private static func prepare(_ options: HearthServer.Options) throws(ServerError) -> KeyStore {
    let directory = DataDirectory(path: options.dataDirectory)
    try directory.create()
    do {
      return try KeyStore(directory: directory.keysPath)
    } catch {
      throw ServerError(.storage, error.description)
    }
  }

  private static func tls(_ options: HearthServer.Options) throws(ServerError) -> NIOSSLContext? {
    guard let tls = options.tls else { return nil }
    do {
      return try TLSFiles(certificatePath: tls.certificatePath, keyPath: tls.keyPath).context()
    } catch {
      throw ServerError(.badCertificate, error.description)
    }
  }

  private static func services(
    _ options: HearthServer.Options, _ accounts: AccountsSetup, rules: RuleSet, router: EffectRouter,
    denials: DenialLog
  ) throws(ServerError) -> ServerServices {
    let registry = try DatabaseRegistry(
      directory: DataDirectory(path: options.dataDirectory), defaultNamespace: options.defaultNamespace,
      createsOnUse: options.mode == .dev, initialRules: rules,
      environment: { name in environment(of: name, router, options.logger) }, logger: options.logger)
    let gate = CredentialGate(keys: accounts.keys, accounts: accounts.accounts, logger: options.logger)
    return ServerServices(
      registry: registry, gate: gate, accounts: accounts.accounts,
      proxies: try TrustedProxies(options.accounts.trustedProxies), sessions: SessionDirectory(), router: router,
      denials: denials, pushIDs: PushIDs(), pool: LargeValuePool(), logger: options.logger,
      isEmulator: options.isEmulator)
  }

  private static func environment(
    of name: String, _ router: EffectRouter, _ logger: Logger
  ) -> DatabaseEnvironment {
    DatabaseEnvironment(
      clock: { SystemClock.now },
      schedule: { milliseconds, work in
        let delay = DispatchTimeInterval.milliseconds(Int(clamping: max(0, milliseconds)))
        DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: work)
      },
      deliver: { effects in router.deliver(effects, of: name) },
      notice: { notice in log(notice, of: name, logger) })
  }

  private static func log(_ notice: DatabaseNotice, of name: String, _ logger: Logger) {
    switch notice {
    case .halted(let error):
      logger.critical(
        "the journal failed: the database takes no writes until the server is started again",
        metadata: ["database": "\(name)", "error": "\(error)"])
    case .snapshotWritten(let position, let sizeBytes):
      logger.debug(
        "snapshot written", metadata: ["database": "\(name)", "position": "\(position)", "bytes": "\(sizeBytes)"])
    case .snapshotFailed(let error):
      logger.error("snapshot failed", metadata: ["database": "\(name)", "error": "\(error)"])
    case .closeFailed(let error):
      logger.error("the journal could not be closed", metadata: ["database": "\(name)", "error": "\(error)"])
    }
  }

  /// The default database is there from the start; the rules file is the operator's latest word about it.
  private static func open(
    _ options: HearthServer.Options, rules: RuleSet, _ services: ServerServices
  ) async throws(ServerError) {
    let database = try await database(options.defaultNamespace, services)
    guard options.rules != nil, database.published.rules.source != rules.source else { return }
    try await deploy(rules, to: database, services)
  }

  private static func listen(
    _ options: HearthServer.Options, tls: NIOSSLContext?, group: MultiThreadedEventLoopGroup,
    loops: [TransportLoop], _ services: ServerServices, _ load: IdentityLoad
  ) async throws(ServerError) -> Transport {
    let identity = IdentityResponder(services: services, load: load, requestIDs: RequestIDs())
    let responder = SiteResponder(
      rest: RESTResponder(services: services), identity: identity, pages: ActionPages(identity: identity))
    do {
      return try await Transport.start(
        Transport.Options(host: options.host, port: options.port, tls: tls, allowsPlaintext: tls == nil), group: group,
        loops: loops,
        responder: responder, acceptor: ServerSocketAcceptor(services: services, responder: responder))
    } catch {
      throw ServerError(.cannotBind, "cannot listen on \(options.host) port \(options.port): \(error)")
    }
  }
}

// MARK: Rules

extension Running {
  func deploy(_ rules: RuleSet, to namespace: String) async throws(ServerError) {
    try await Self.deploy(rules, to: try await Self.database(namespace, services), services)
  }

  /// For the default database, those that follow the same file, and those to come.
  func deployFile(_ rules: RuleSet) async throws(ServerError) {
    let before = followedRules.withLock { text in
      let before = text
      text = rules.source
      return before
    }
    services.registry.setInitialRules(rules)
    for database in services.registry.openDatabases {
      let isFollowing = database.name == services.defaultNamespace || database.published.rules.source == before
      if isFollowing { try await Self.deploy(rules, to: database, services) }
    }
  }

  private static func database(_ name: String, _ services: ServerServices) async throws(ServerError) -> Database {
    do {
      return try await services.registry.database(name, .byMode, on: services.router.anyLoop).get()
    } catch DatabaseRegistry.Problem.unavailable(let cause) {
      throw ServerError(.storage, "cannot open the database \(name): \(cause)")
    } catch {
      throw ServerError(.unknownDatabase, "there is no database \(name)")
    }
  }

  private static func deploy(
    _ rules: RuleSet, to database: Database, _ services: ServerServices
  ) async throws(ServerError) {
    let reply = await withCheckedContinuation { (done: CheckedContinuation<Reply, Never>) in
      services.router.executeAnywhere { hub in
        hub.request(.deployRules(rules), as: .administrator, of: database) { done.resume(returning: $0) }
      }
    }
    guard case .failure(let failure) = reply else { return }
    throw ServerError(.storage, "the rules could not be put in force: \(failure.message)")
  }
}
