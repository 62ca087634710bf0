import ArgumentParser
import HearthRulesCommands

/// The program for rules without the server. The package plugin runs it, so that an app's package builds no more than
/// it needs.
@main
struct HearthRulesTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hearth-rules", abstract: "Work with security rules files, without a server.",
    subcommands: [TestCommand.self, MutateCommand.self, LintCommand.self])
}
