import ArgumentParser
import HearthCommandLine
import HearthProgram
import HearthRulesCommands
import HearthServer

/// The idle time in seconds after which a node of a cluster closes a database.
private let idleSecondsInCluster = 600

/// A command that runs a server. Each group of flags is declared in the command itself: in a debug build the parser
/// checks a nested group four times as often as the outer one, which took most of a server's start.
protocol ServerCommand: AsyncParsableCommand {
  var data: ServedFolderOption { get }
  var storage: StorageFlags { get }
  var rules: RulesFlags { get }
  var flags: ServerFlags { get }
  var log: LogFlags { get }
  var cluster: ClusterFlags { get }
  var plugin: RulesPluginOption { get }
  var accounts: ServerAccountsFlags { get }
  var console: ConsoleFlags { get }
  var history: HistoryFlags { get }
  var space: SpaceFlags { get }
}

extension ServerCommand {
  /// Returns the flags that later commands on the folder need.
  func folderSettings(mode: HearthServer.Options.Mode) -> FolderSettings {
    var settings = FolderSettings().with(accounts)
    settings.isDevelopment = mode == .dev
    settings.trustedIssuers = accounts.trustedIssuers
    (settings.history, settings.recordsAuthors) = (history.retention, history.historyWho)
    settings.space = space.thresholds
    settings.cacheBytes = storage.cacheSize?.bytes
    settings.journal = storage.journal ?? cluster.cluster
    return settings
  }

  /// Returns the server's options.
  ///
  /// - Parameters:
  ///   - rulesText: The text of the rules file, which the caller has read.
  ///   - rulesPath: The path of the rules file.
  ///   - settings: The ``folderSettings(mode:)``, perhaps with those of a project's files.
  ///   - folder: The data folder.
  ///   - otherPort: The port when no flag sets it.
  func serverOptions(
    rulesText: String?, from rulesPath: String?, settings: FolderSettings, folder: String, otherPort: Int = 9000,
    isEmulator: Bool
  ) throws -> HearthServer.Options {
    try TextFile.makeFolder(folder)
    try JournalLocationCheck(folder: folder).check(storage.journal ?? cluster.cluster)
    // Links need the port before the server listens on it.
    let wanted = flags.port ?? otherPort
    let port = try wanted == 0 ? FreePort.find(host: flags.host) : wanted
    var options = try HearthServer.Options(
      dataDirectory: folder, settings: settings, ownURL: ownURL(port: port), isEmulator: isEmulator)
    options.host = flags.host
    options.port = port
    options.tls = flags.tlsCert.flatMap { cert in
      flags.tlsKey.map { HearthServer.Options.TLS(certificatePath: cert, keyPath: $0) }
    }
    (options.rules, options.rulesPath) = (rulesText, rulesPath)
    options.cluster = cluster.options
    options.closesIdleAfterSeconds =
      storage.closeIdle.map { Int(clamping: max(1, $0.milliseconds / 1_000)) }
      ?? (options.cluster == nil ? nil : idleSecondsInCluster)
    if let name = rules.defaultNamespace { (options.defaultNamespace, options.isDefaultNamed) = (name, true) }
    options.ioThreadCount = flags.threads
    options.space = space.thresholds
    options.acceptsRawSecrets = !accounts.noRawSecrets
    options.countsRules = rules.rulesCoverage
    options.functionsEmulator = rules.functionsEmulator
    options.metricsTokenPath = log.metricsTokenFile
    options.console = console.options
    // Commands of this folder find a development server and ./data by themselves.
    let isFound = settings.isDevelopment || folder == CommandTargetDefaults.folder
    options.logger = log.logger(explainOptions: isFound ? "" : " --data \(TextFile.absolute(folder))")
    return options
  }

  /// Returns the default origin of links: this machine, at the requested port.
  private func ownURL(port: Int) -> String {
    let isAnywhere = ["0.0.0.0", "::", "[::]"].contains(flags.host)
    return ServerAddress(isTLS: flags.tlsCert != nil, host: isAnywhere ? "localhost" : flags.host, port: port)
      .description
  }
}
