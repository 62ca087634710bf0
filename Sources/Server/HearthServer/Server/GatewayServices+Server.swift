import Dispatch
import HearthAccounts
import HearthConsole
import HearthGateway
import HearthOutbound
import HearthOutbox
import HearthTransport
import HearthTriggers
import HearthWorkbench
import NIOPosix

extension GatewayServices {
  /// Returns the services of a server over its databases and accounts.
  static func ofServer(
    _ options: HearthServer.Options, _ accounts: OpenedAccounts, _ databases: DatabaseRegistry, router: EffectRouter,
    proxies: TrustedProxies, files: ServerFiles, denials: DenialLog, receivers: EventReceivers, memory: ClientMemory,
    meters: GatewayMeters = .none, console: ConsoleCredentials? = nil, group: MultiThreadedEventLoopGroup
  ) throws(ServerError) -> GatewayServices {
    let authenticator = CallerAuthenticator(
      accounts: accounts.accounts, logger: options.logger, meters: meters, console: console)
    var services = GatewayServices(
      databases: databases, authenticator: authenticator, accounts: accounts.accounts, proxies: proxies, router: router,
      denials: denials,
      settings: files.settings, versions: files.versions,
      triggers: .ofServer(options, files, receivers, group: group),
      memory: memory, meters: meters, logger: options.logger,
      isEmulator: options.accounts.isEmulator)
    services.emulatorClients = try EmulatorClients(of: options)
    services.coveragePage = { CoverageReport([(file: "rules.json", coverage: $0)]).html }
    return services
  }
}

extension EmulatorClients {
  /// Creates the networks whose clients an emulator treats as those of its own machine; none without an emulator.
  fileprivate init(of options: HearthServer.Options) throws(ServerError) {
    guard options.accounts.isEmulator else {
      self = .none
      return
    }
    do { try self.init(options.emulatorAllows) } catch { throw ServerError(.badOptions, "\(error)") }
  }
}

extension TriggerOptions {
  /// Returns the options of a server's triggers and their senders.
  ///
  /// - Parameter group: the event loops for requests to receivers on this machine; without it they use the general
  ///   client.
  static func ofServer(
    _ options: HearthServer.Options, _ files: ServerFiles, _ receivers: EventReceivers,
    group: MultiThreadedEventLoopGroup?
  ) -> TriggerOptions {
    // The host of the server's own URL.
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
      files: files.triggers, folder: files.triggersFolder, environment: environment,
      isSending: options.sendsEvents, functionsEmulator: options.functionsEmulator,
      projectID: options.accounts.projectID)
  }
}
