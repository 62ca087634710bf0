import HearthAccounts
import HearthBytes
import HearthCrypto
import HearthGateway
import HearthRules
import HearthTransport
import HearthWire

/// The checked options of a server, with the files that they name: all that is read before a part is started.
struct ServerPlan {
  let options: HearthServer.Options
  /// The rules of the rules file.
  let rules: RuleSet
  let keys: KeyStore
  /// The certificate; nil without TLS.
  let certificate: CertificateReloader?
  let proxies: TrustedProxies
  /// The metrics token; nil when only administrators may read metrics.
  let metricsToken: MetricsToken?
  /// The newest lines of the log, for the console.
  let log: LogRing
  let memory: ClientMemory
  let meters: ServerMeters
  let identityLimiter: IdentityRequestLimiter
  let finalSnapshotDeadline = FinalSnapshotDeadline()

  var directory: DataDirectory { DataDirectory(path: options.dataDirectory) }

  /// Checks the options and reads the files.
  ///
  /// - Throws: ``ServerError`` with a sentence for the operator.
  init(_ options: HearthServer.Options) throws(ServerError) {
    try Self.check(options)
    rules =
      try options.rules.map { text throws(ServerError) in
        try HearthServer.compile(text, file: options.rulesPath)
      } ?? .denyAll
    keys = try Self.keys(options)
    certificate = try Self.certificate(options)
    proxies = try Self.proxies(options)
    metricsToken = try Self.metricsToken(options)
    log = LogRing()
    self.options = options.keeping(log)
    memory = options.memory ?? .ofThisMachine()
    meters = ServerMeters(options.metrics)
    identityLimiter = IdentityRequestLimiter(max: options.identityRequestsMax)
  }

  private static func check(_ options: HearthServer.Options) throws(ServerError) {
    guard Namespace.isValid(options.defaultNamespace) else {
      throw ServerError(
        .badOptions, "\"\(options.defaultNamespace)\" is not a valid database name: use a-z, 0-9, _ and -")
    }
    guard (0...65_535).contains(options.port) else {
      throw ServerError(.badOptions, "\(options.port) is not a valid port")
    }
    guard options.accounts.isEmulator else { return }
    guard IPAddress.isLoopback(host: options.host) || !options.emulatorAllows.isEmpty, options.tls == nil else {
      throw ServerError(
        .badOptions, "emulator mode gives every client an administrator's access: use a loopback address, without TLS")
    }
    options.logger.warning("emulator mode: \"owner\" and unsigned tokens are accepted from this machine")
    guard !options.emulatorAllows.isEmpty else { return }
    options.logger.warning(
      "emulator mode: these networks have an administrator's access, too",
      metadata: ["networks": "\(options.emulatorAllows.joined(separator: " "))"])
  }

  /// Makes the data folder, and opens its folder of keys.
  static func keys(_ options: HearthServer.Options) throws(ServerError) -> KeyStore {
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

  private static func certificate(_ options: HearthServer.Options) throws(ServerError) -> CertificateReloader? {
    guard let tls = options.tls else { return nil }
    do {
      return try CertificateReloader(TLSFiles(certificatePath: tls.certificatePath, keyPath: tls.keyPath))
    } catch {
      throw ServerError(.badCertificate, error.description)
    }
  }

  private static func metricsToken(_ options: HearthServer.Options) throws(ServerError) -> MetricsToken? {
    guard let path = options.metricsTokenPath else { return nil }
    do { return try MetricsToken(path: path, logger: options.logger) } catch {
      throw ServerError(.badOptions, error.description)
    }
  }

  private static func proxies(_ options: HearthServer.Options) throws(ServerError) -> TrustedProxies {
    do { return try TrustedProxies(options.accounts.trustedProxies) } catch {
      throw ServerError(.badOptions, error.description)
    }
  }
}

extension HearthServer.Options {
  /// Returns the options with the console's additions: it shows the newest lines of the log, and accounts know its
  /// claim.
  fileprivate func keeping(_ log: LogRing) -> HearthServer.Options {
    var options = self
    if console.isServed { options.logger = logger.keeping(in: log) }
    options.accounts.consoleClaim = console.claim
    return options
  }
}
