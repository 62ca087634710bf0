import ArgumentParser
import Glibc
import HearthProgram
import HearthRules
import HearthRulesCommands
import HearthTree
import HearthWorkbench

/// The command `hearth rules explain`.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Show why rules allow or deny a read or a write.",
    discussion: """
      Decides in this process, without a server: every rule that is evaluated, the value of each of its parts, the data
      that it looks at, and the part that decided.

        hearth rules explain rules.json --read /rooms/r1 --uid u2 --data data.json

      With --trace, a denial of a running server's log is decided again as it was; --data is then the server's data
      folder.

      With --at, the rules decide that a server had in force then, over its data of then, as far as it keeps its history;
      --ns names another database than the default one:

        hearth rules explain --at '10 minutes ago' --read /rooms/r1 --uid u2 --data ./data

      Exits with 0 when it is allowed, with 1 when it is denied, and with 2 when it cannot be decided.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var rules: String?

  @OptionGroup var request: ExplainedRequest
  @OptionGroup var recorded: RecordedDenialOptions
  @OptionGroup var past: PastDecisionOptions
  @OptionGroup var plugin: RulesPluginOption

  @Option(
    help: ArgumentHelp(
      "A JSON file with the data of the database; with --trace or --at, the data folder.", valueName: "file"))
  var data: String?

  @Flag(help: "Answer in JSON, for scripts.")
  var json = false

  func run() async throws {
    do {
      let isAllowed: Bool
      if recorded.trace != nil {
        guard rules == nil, !request.isGiven, past.at == nil else {
          throw TextFile.Failure("--trace explains what was asked: it takes no rules file and no request")
        }
        isAllowed = try await recorded.explain(folder: data, isJSON: json, isColored: Output.isColored)
      } else if past.at != nil {
        guard rules == nil else {
          throw TextFile.Failure("--at decides with the rules of then: it takes no rules file")
        }
        isAllowed = try await past.explain(request, of: recorded.admin(folder: data), isJSON: json)
      } else {
        isAllowed = try await explain()
      }
      if !isAllowed { throw ExitCode(1) }
    } catch {
      throw ExitCode.reporting(error, printsJSON: json)
    }
  }

  private func explain() async throws -> Bool {
    guard let rules else { throw TextFile.Failure("name a rules file, or a denial with --trace") }
    let set: RuleSet
    do {
      set = try RuleSet.compile(try await plugin.read(rules)).withExpressions
    } catch let error as RulesError {
      throw TextFile.Failure(error.rendered(file: rules))
    }
    let explanation = try request.explanation(of: set, on: try data.map { try RequestText.read($0) })
    if json {
      Output.json(explanation.json)
    } else {
      Output.raw(Array(explanation.rendered(file: rules, isColored: Output.isColored).utf8), to: STDOUT_FILENO)
    }
    return explanation.decision.isAllowed
  }
}
