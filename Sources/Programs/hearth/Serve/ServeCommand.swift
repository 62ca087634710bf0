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
      A new database denies everything until it gets rules, by --rules or hearth rules deploy. hearth databases create \
      creates further databases. Users can sign in with the methods of --sign-in or --auth-config (default: \
      \(BuiltInPlugins.defaultText(isDevelopment: false))). SIGINT and SIGTERM stop the server after its last write is \
      on the disk.

      Examples:

        hearth serve --rules rules.json
        hearth serve --data /srv/shop --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
        hearth serve --sign-in password,anonymous --public-url https://auth.example.com
        hearth serve --config /etc/hearth/hearth.conf
      """)

  @OptionGroup(title: "Data") var data: ServedFolderOption
  @OptionGroup(title: "Data") var storage: StorageFlags
  @OptionGroup(title: "Data") var space: SpaceFlags
  @OptionGroup(title: "Data") var history: HistoryFlags
  @OptionGroup(title: "Rules") var rules: RulesFlags
  @OptionGroup(title: "Rules") var plugin: RulesPluginOption
  @OptionGroup(title: "Address") var flags: ServerFlags
  @OptionGroup(title: "Accounts") var accounts: ServerAccountsFlags
  @OptionGroup(title: "Console") var console: ConsoleFlags
  @OptionGroup(title: "Log and metrics") var log: LogFlags
  @OptionGroup(title: "Cluster") var cluster: ClusterFlags

  // Read before the other options are parsed: see ServeFile.
  @Option(
    help: ArgumentHelp(
      "A file with these options, one name = value on each line. The command line overrides it.", valueName: "file"))
  var config: String?

  @Flag(help: "Print a file for --config with all options and defaults, and exit.")
  var printConfig = false

  func validate() throws {
    try storage.validate(beside: cluster)
    if let project = accounts.project { try ProjectOption.validate(project) }
  }

  func run() async throws {
    if printConfig { return Output.line(ServeFile.template) }
    let started = ContinuousClock.now
    let reader = RulesReader(plugin: plugin, dataDirectory: data.path)
    let text = try await reader.atStart(rules.rules)
    let settings = folderSettings(mode: .serve)
    var options = try serverOptions(
      rulesText: text, from: rules.rules, settings: settings, folder: data.path, isEmulator: false)
    options.console.examine = Examination.report(on: data.path)
    let server = HearthServer(options: options)
    try await ServeRun(
      server: server, started: started, settings: settings,
      stopsWithStandardInput: flags.stopWithStdin, drainSeconds: flags.drainSeconds
    ).run()
  }
}
