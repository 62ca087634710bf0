import ArgumentParser
import Glibc
import HearthProgram
import HearthRulesCommands
import HearthServer

/// The command line: the composition root of the server and the tools beside it.
@main
struct Hearth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth",
    abstract: "A self-hosted server for Firebase Realtime Database apps and their users.",
    discussion: """
      Examples:

        hearth dev                        serve this folder for development
        hearth exec -- npm test           run a test suite, without emulators
        hearth db get /rooms --pretty     read data of the server here
        hearth rules explain --trace 1-1  explain a denial of its log
        hearth serve --rules rules.json   serve ./data under these rules

      Commands beside a server use, in this order: --server or --data, HEARTH_SERVER or HEARTH_DATA, the server of \
      hearth dev in this folder, ./data, the folder of the installed package.
      """,
    version: HearthServer.version,
    subcommands: [ServeCommand.self, DevCommand.self, ExecCommand.self, ConsoleCommand.self, DoctorCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Data",
        subcommands: [
          DatabaseCommand.self, DatabasesCommand.self, TriggersCommand.self, BackupCommand.self, RestoreCommand.self,
          RepairCommand.self, MigrateCommand.self,
        ]),
      CommandGroup(
        name: "Accounts",
        subcommands: [
          UsersCommand.self, TenantsCommand.self, TokenCommand.self, ServiceAccountCommand.self, KeysCommand.self,
          SecretsCommand.self, ProvidersCommand.self, FunctionsCommand.self, AuditCommand.self,
          RevocationsCommand.self,
        ]),
      CommandGroup(name: "Rules", subcommands: [RulesCommand.self]),
      CommandGroup(
        name: "Extensions and operation",
        subcommands: [PluginsCommand.self, ClusterCommand.self, BenchCommand.self]),
    ])

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let mistake = UnknownCommand(arguments, below: Hearth.self) { fail(mistake.description) }
    do { arguments = try ServeFile.expanded(arguments) } catch { end(with: error) }
    let words = NegativeNumbers.asValues(arguments)
    await RulesTranslation.$translator.withValue(PluginRulesTranslator()) { await run(words) }
  }

  private static func run(_ words: [String]) async {
    let command: any ParsableCommand
    do { command = try parseAsRoot(words) } catch { exit(withError: error) }
    do {
      try await CommandRun.$isWriting.withValue(command is any WritingCommand) {
        var command = command
        if var asynchronous = command as? any AsyncParsableCommand {
          try await asynchronous.run()
        } else {
          try command.run()
        }
      }
    } catch {
      end(with: error)
    }
  }

  /// Ends the process with the error of a command that has begun: how the command is written is not the problem, so no
  /// usage is printed.
  private static func end(with error: any Error) -> Never {
    guard let mistake = error as? ValidationError else { exit(withError: error) }
    fail(mistake.message)
  }

  private static func fail(_ message: String) -> Never {
    Output.note("Error: \(message)")
    Glibc.exit(ExitCode.validationFailure.rawValue)
  }
}
