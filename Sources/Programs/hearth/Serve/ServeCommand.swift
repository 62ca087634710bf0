import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthServer

/// The command `hearth serve`.
struct ServeCommand: ServerCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the databases of a data folder.",
    discussion: """
      Without --rules a new database denies everything. An administrator makes a further database by uploading its \
      rules to /.settings/rules.json?ns=NAME. Users sign in in the ways that --sign-in or --auth-config switch on; \
      without either: \(BuiltInPlugins.defaultText(isDevelopment: false)). SIGINT and SIGTERM end the server after its last write is on the disk.
      """)

  @OptionGroup var data: DataOption
  @OptionGroup var flags: ServerFlags
  @OptionGroup var cluster: ClusterFlags
  @OptionGroup var plugin: RulesPluginOption
  @OptionGroup var accounts: ServerAccountsFlags
  @OptionGroup var console: ConsoleFlags
  @OptionGroup var history: HistoryFlags
  @OptionGroup var space: SpaceFlags

  // Read before the other options are parsed: see ServeFile.
  @Option(
    help: ArgumentHelp(
      "A file of these options, name = value on each line; those of the command line count more.", valueName: "file"))
  var config: String?

  @Flag(help: "Print such a file with every option and its default, and do nothing else.")
  var printConfig = false

  func validate() throws {
    try cluster.validate(beside: flags.journal)
    if let project = accounts.project { try ProjectOption.validate(project) }
  }

  func run() async throws {
    if printConfig { return Output.line(ServeFile.template) }
    let started = ContinuousClock.now
    let reader = RulesReader(plugin: plugin, dataDirectory: data.data)
    let rules = try await reader.atStart(flags.rules)
    let settings = folderSettings(mode: .serve)
    var options = try serverOptions(
      rulesText: rules, from: flags.rules, settings: settings, folder: data.data, isEmulator: false)
    options.console.examine = Examination.report(on: data.data)
    let server = HearthServer(options: options)
    try await ServeRun(
      server: server, started: started, settings: settings,
      stopsWithStandardInput: flags.stopWithStdin, drainSeconds: flags.drainSeconds
    ).run()
  }
}
