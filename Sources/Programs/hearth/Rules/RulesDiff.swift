import ArgumentParser
import HearthProgram
import HearthRulesCommands
import HearthWorkbench

/// The command `hearth rules diff`.
struct RulesDiff: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "List what new rules open and close, with example requests.",
    discussion: """
      Every place of either file is asked about. "No difference" is a proof. Ends with 1 when something is newly open, with \
      3 when that could not be decided, with 2 when a file cannot be read, and otherwise with 0.
      """)

  @Argument(help: ArgumentHelp("The rules in force.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The rules to come.", valueName: "new"))
  var new: String

  @Flag(help: "Answer in JSON, for scripts.")
  var json = false

  @OptionGroup var clock: ClockOption
  @OptionGroup var plugin: RulesPluginOption

  func run() async throws {
    let (before, after) = (try await RulesFile.read(old, plugin), try await RulesFile.read(new, plugin))
    let report = RulesDiffReport(from: before, to: after, nowMilliseconds: clock.milliseconds)
    if json {
      Output.json(report.json)
    } else {
      Output.line(report.text(old, new, TerminalStyle(isColored: Output.isColored)))
    }
    let opened = report.entries.filter { $0.direction == .opened }
    if opened.contains(where: { $0.verdict.isOpen }) { throw ExitCode(1) }
    if !opened.isEmpty { throw ExitCode(3) }
  }
}
