import ArgumentParser
import HearthRulesCommands
import HearthServer

/// The command line: the composition root of the server and the tools beside it.
@main
struct Hearth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth",
    abstract: "A self-hosted home for Firebase Realtime Database apps and their users.",
    version: HearthServer.version,
    subcommands: [
      ServeCommand.self, DevCommand.self, ExecCommand.self, DatabaseCommand.self, DatabasesCommand.self,
      UsersCommand.self, TenantsCommand.self, TokenCommand.self,
      ServiceAccountCommand.self, KeysCommand.self, SecretsCommand.self, ProvidersCommand.self,
      ConsoleCommand.self,
      AuditCommand.self, RevocationsCommand.self,
      RulesCommand.self, FunctionsCommand.self, PluginsCommand.self, TriggersCommand.self, MigrateCommand.self,
      BackupCommand.self, RestoreCommand.self, RepairCommand.self, DoctorCommand.self, ClusterCommand.self,
      BenchCommand.self,
    ])

  static func main() async {
    let arguments: [String]
    do { arguments = try ServeFile.expanded(Array(CommandLine.arguments.dropFirst())) } catch {
      ServeCommand.exit(withError: error)
    }
    await RulesTranslation.$translator.withValue(PluginRulesTranslator()) {
      await main(NegativeNumbers.asValues(arguments))
    }
  }
}
