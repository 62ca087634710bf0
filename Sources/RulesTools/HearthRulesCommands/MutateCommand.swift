import ArgumentParser
import Glibc
import HearthProgram
import HearthRules
import HearthTree
import HearthWorkbench

/// The command `hearth rules mutate`.
package struct MutateCommand: AsyncParsableCommand {
  /// The command's name and help texts.
  package static let configuration = CommandConfiguration(
    commandName: "mutate",
    abstract: "Find rules that could be broken without a failing test.",
    discussion: """
      Changes the rules one by one: operators, literals, operands, wildcards, whole rules. A change that no test fails on \
      survives, and is shown with a test that would fail, unless the change is proved equivalent to the rules.

      Exits with 0 if no mutant survives, with 1 if one survives, is undecided or is skipped, or if a test fails on the \
      original rules, and with 2 if a file cannot be read.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var rules: String

  @Argument(help: ArgumentHelp("Test files, and folders of them.", valueName: "tests"))
  var tests: [String]

  @Option(help: ArgumentHelp("Write the missing tests to this file for review.", valueName: "file"))
  var write: String?

  @Flag(help: "Print JSON, for scripts.")
  var json = false

  @OptionGroup var plugin: RulesPluginOption

  /// Creates a command, whose options are set by parsing.
  package init() {}

  /// - Throws: the exit code: 0, 1 or 2 as the help text says.
  package func run() async throws {
    var arguments = tests + ["--rules", rules]
    if let folder = plugin.rulesPlugin { arguments += ["--rules-plugin", folder] }
    let tested = await TestSession(command: try TestCommand.parse(arguments)).run().report
    guard tested.problems.isEmpty, let rules = tested.files.first?.rules else {
      Output.note(tested.rendered(as: .text, style: TerminalStyle(isColored: false)))
      throw ExitCode(2)
    }
    guard tested.failedCount == 0 else {
      Output.note(tested.rendered(as: .text, style: TerminalStyle(isColored: false)))
      Output.note("hearth: fix the failing tests first; a failing suite cannot find mutants")
      throw ExitCode(1)
    }
    let started = WallClock.monotonicNanoseconds
    var report = MutationRun(rules, tests: tested.files.map(\.test), nowMilliseconds: WallClock.nowMilliseconds)
      .report()
    report.elapsedMilliseconds = WallClock.seconds(since: started) * 1000
    if json {
      Output.json(report.json)
    } else {
      Output.raw(
        Array(report.text(file: self.rules, TerminalStyle(isColored: Output.isColored)).utf8), to: STDOUT_FILENO)
    }
    if let write, report.survived > 0 {
      let text = report.missingTests(rulesFile: TextFile.absolute(self.rules)).text(pretty: true)
      try TextFile.replace(write, text + [UInt8(ascii: "\n")], mode: 0o644)
    }
    if report.survived + report.undecided + report.skipped > 0 { throw ExitCode(1) }
  }
}
