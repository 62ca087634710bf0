import ArgumentParser
import HearthRulesCommands

/// The program with the commands for rules, without the server. The package plugin runs it, so that the package of an
/// app does not build the whole server.
@main
struct HearthRulesTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-rules", abstract: "Work with security rules files, without a server.",
    subcommands: [TestCommand.self, MutateCommand.self, LintCommand.self])
}
