import ArgumentParser
import Glibc
import HearthProgram
import HearthTree
import HearthWorkbench

/// The command `hearth rules test`, which the package plugin also runs.
package struct TestCommand: AsyncParsableCommand {
  /// The command's name and help texts.
  package static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Test security rules without a server.",
    discussion: """
      A folder means all test files in and below it: tests.json, tests.yaml, and names that end in .test.json, \
      .tests.json, .test.yaml or .tests.yaml. targaryen's JSON files also work, with --rules.

      Exits with 0 if every case passes, with 1 if one fails, and with 2 if a file cannot be read.
      """)

  @Argument(help: ArgumentHelp("Test files, and folders of them.", valueName: "path"))
  var paths: [String] = ["."]

  @Option(help: ArgumentHelp("The rules file to use instead of the one that a test file names.", valueName: "file"))
  var rules: String?

  @OptionGroup var plugin: RulesPluginOption

  @Option(help: ArgumentHelp("Run only cases whose file or name contains this text.", valueName: "text"))
  var filter: String?

  @Option(help: "text, junit, tap, json, or github for annotations on a pull request.")
  var format: RulesTestReport.Format?

  @Flag(help: "Print one JSON object, the same as --format json.")
  var json = false

  @Flag(help: "Show the conditions whose outcomes no case covers; with --format text.")
  var coverage = false

  @OptionGroup var coverageFiles: CoverageFiles

  @Option(help: ArgumentHelp("Fail if fewer percent of conditions are covered.", valueName: "percent"))
  var min: Int?

  @Flag(help: "Run again whenever a test file or rules file is saved, until interrupted.")
  var watch = false

  /// Creates a command, whose options are set by parsing.
  package init() {}

  /// - Throws: `ValidationError` when options contradict each other.
  package func validate() throws {
    if json, let format, format != .json {
      throw ValidationError(
        "--json and --format \(format.rawValue) contradict each other. Use one of them.")
    }
    if let min, !(0...100).contains(min) { throw ValidationError("--min must be a percentage from 0 to 100.") }
  }

  /// Runs the tests and prints the report; with `--watch` again and again, until interrupted.
  ///
  /// - Throws: the exit code: 0, 1 or 2 as the help text says.
  package func run() async throws {
    guard watch else {
      let report = await TestSession(command: self).run().report
      try show(report)
      throw report.exitCode
    }
    while true {
      let outcome = await TestSession(command: self).run()
      try show(outcome.report)
      Output.note("waiting for changes; press Ctrl-C to stop")
      waitForChange(of: outcome.watched)
    }
  }

  private func show(_ report: RulesTestReport) throws {
    let style = TerminalStyle(isColored: Output.isColored)
    let text = report.rendered(as: json ? .json : format ?? .text, style: style)
    Output.raw(Array(text.utf8), to: STDOUT_FILENO)
    if let coverage = report.coverage { try coverageFiles.write(coverage) }
  }

  /// Polls the files four times a second: editors replace files in many ways, and inode, size and time reveal all of
  /// them. A file being saved is empty or half written for a moment, so this waits for the end of the changes, two
  /// seconds at most.
  private func waitForChange(of watched: TestSession.WatchedFiles) {
    var seen = watched
    while seen == watched {
      usleep(250_000)
      seen = watched.now(below: paths)
    }
    for _ in 0..<20 {
      usleep(100_000)
      let now = watched.now(below: paths)
      if now == seen { return }
      seen = now
    }
  }
}

extension RulesTestReport.Format: ExpressibleByArgument {}

extension RulesTestReport {
  fileprivate var exitCode: ExitCode {
    if !problems.isEmpty { return ExitCode(2) }
    return failedCount > 0 || !isCovered ? ExitCode(1) : .success
  }
}
