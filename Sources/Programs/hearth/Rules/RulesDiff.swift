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
      Compares all paths of both files. "no difference" is a proof. Exits with 0 when nothing is newly open, 1 when \
      something is, 3 when that could not be decided, and 2 when a file cannot be read.
      """)

  @Argument(help: ArgumentHelp("The old rules file.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The new rules file.", valueName: "new"))
  var new: String

  @Flag(help: "Print JSON, for scripts.")
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
