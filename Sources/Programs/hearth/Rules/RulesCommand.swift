import ArgumentParser
import HearthRules
import HearthRulesCommands

/// The command `hearth rules`.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Check, test, explain, prove and deploy security rules.",
    subcommands: [
      Check.self, TestCommand.self, MutateCommand.self, LintCommand.self, ExplainCommand.self, RulesExposure.self,
      RulesAssert.self, RulesDiff.self, RulesDeploy.self, RulesHistoryCommand.self, RulesRollbackCommand.self,
      RulesStage.self, RulesPromote.self,
    ])

  /// The command `hearth rules check`.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check a rules file without a server.",
      discussion: """
        Prints every error with its position, and warnings about valid rules that are probably wrong. Exits with 0 \
        when the file can be deployed, 1 when it has errors, and 2 when it cannot be read.
        """)

    @Argument(help: ArgumentHelp("The rules file.", valueName: "file"))
    var file: String

    @OptionGroup var plugin: RulesPluginOption

    func run() async throws {
      do {
        let rules = try RuleSet.compile(try await plugin.read(file))
        if !rules.warnings.isEmpty { print(rules.renderedWarnings(file: file)) }
        print("\(file): ok")
      } catch let error as RulesError {
        print(error.rendered(file: file))
        throw ExitCode.failure
      } catch {
        throw ExitCode.reporting(error)
      }
    }
  }
}
