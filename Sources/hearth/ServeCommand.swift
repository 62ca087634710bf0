import ArgumentParser
import HearthProgram
import HearthServer

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the databases of a data folder.",
    discussion: """
      Without --rules a new database denies everything. A further database comes into being when an administrator \
      uploads its rules to /.settings/rules.json?ns=NAME. People sign in with custom tokens, and in the ways that \
      --sign-in or --auth-config switch on. Ends gracefully on SIGINT and SIGTERM.
      """)

  @OptionGroup var options: ServerOptions

  func run() async throws {
    let started = ContinuousClock.now
    let rules = try options.rules.map(TextFile.read)
    let server = HearthServer(options: try options.serverOptions(rulesText: rules, mode: .serve, isEmulator: false))
    try await ServerRun(
      server: server, started: started, settings: options.folderSettings(mode: .serve),
      stopsWithStandardInput: options.stopWithStdin
    ).run()
  }
}
