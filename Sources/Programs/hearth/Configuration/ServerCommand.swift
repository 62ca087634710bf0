import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthServer

/// Nodes of a cluster hold only the databases that are used.
private let idleSecondsInCluster = 600

/// A command that runs a server. Each group of flags is declared in the command itself: in a debug build the parser checks
/// a group within a group four times as often as the one around it, which took most of a server's start.
protocol ServerCommand: AsyncParsableCommand {
  var data: DataOption { get }
  var flags: ServerFlags { get }
  var cluster: ClusterFlags { get }
  var plugin: RulesPluginOption { get }
  var accounts: ServerAccountsFlags { get }
  var console: ConsoleFlags { get }
  var history: HistoryFlags { get }
  var space: SpaceFlags { get }
}

extension ServerCommand {
  /// The flags that later commands on the folder need.
  func folderSettings(mode: HearthServer.Options.Mode) -> FolderSettings {
    var settings = FolderSettings().with(accounts)
    settings.isDevelopment = mode == .dev
    (settings.history, settings.recordsAuthors) = (history.retention, history.historyWho)
    settings.space = space.thresholds
    settings.journal = flags.journal ?? cluster.cluster
    return settings
  }

  /// The server's options.
  ///
  /// - Parameters:
  ///   - rulesText: the text of the rules file, which the caller has read.
  ///   - rulesPath: the rules file.
  ///   - settings: ``folderSettings(mode:)``, perhaps with what a project's own files say.
  ///   - folder: the data folder.
  ///   - otherPort: the port unless one was given.
  func serverOptions(
    rulesText: String?, from rulesPath: String?, settings: FolderSettings, folder: String, otherPort: Int = 9000,
    isEmulator: Bool
  ) throws -> HearthServer.Options {
    try TextFile.makeFolder(folder)
    try JournalChoice(folder: folder).check(flags.journal ?? cluster.cluster)
    // Links have to name the port before anything listens on it.
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
      flags.closeIdle.map { Int(clamping: max(1, $0.milliseconds / 1_000)) }
      ?? (options.cluster == nil ? nil : idleSecondsInCluster)
    if let name = flags.defaultNamespace { (options.defaultNamespace, options.isDefaultNamed) = (name, true) }
    options.ioThreadCount = flags.threads
    options.space = space.thresholds
    options.acceptsRawSecrets = !flags.noRawSecrets
    options.countsRules = flags.rulesCoverage
    options.functionsEmulator = flags.functionsEmulator
    options.metricsTokenPath = flags.metricsTokenFile
    options.console = console.options
    options.logger = flags.logFormat.logger(flags.logLevel.level)
    return options
  }

  /// The origin in links unless one is configured: this machine, at the port that is asked for.
  private func ownURL(port: Int) -> String {
    let isAnywhere = ["0.0.0.0", "::", "[::]"].contains(flags.host)
    return ServerAddress(isTLS: flags.tlsCert != nil, host: isAnywhere ? "localhost" : flags.host, port: port)
      .description
  }
}
