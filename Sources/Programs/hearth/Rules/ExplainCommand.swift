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
      Evaluates the rules without a server, and prints each evaluated rule with the values of its parts, the data that \
      it read, and the part that decided.

        hearth rules explain rules.json --read /rooms/r1 --uid u2 --data data.json

      With --trace, explains a denial of a running server, by the id in the server's log; --data is then the server's \
      data folder.

        hearth rules explain --trace 1-1

      With --at, uses the rules and the data of that time, if the server's history still has them. --ns names a \
      database other than the default one.

        hearth rules explain --at '10 minutes ago' --read /rooms/r1 --uid u2 --data ./data

      Exits with 0 when the request is allowed, 1 when it is denied, and 2 when it cannot be evaluated.
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

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  func run() async throws {
    do {
      let isAllowed: Bool
      if recorded.trace != nil {
        guard rules == nil, !request.isGiven, past.at == nil else {
          throw TextFile.Failure("--trace explains a recorded request: omit the rules file and the request")
        }
        isAllowed = try await recorded.explain(folder: data, isJSON: json, isColored: Output.isColored)
      } else if past.at != nil {
        guard rules == nil else {
          throw TextFile.Failure("--at uses the rules of that time: omit the rules file")
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
    guard let rules else { throw TextFile.Failure("name a rules file, or the id of a denial with --trace") }
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
