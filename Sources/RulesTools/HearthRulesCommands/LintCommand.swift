import ArgumentParser
import Glibc
import HearthProgram
import HearthRules
import HearthWorkbench

/// The command `hearth rules lint`.
package struct LintCommand: AsyncParsableCommand {
  /// The command's name and help texts.
  package static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find likely mistakes in a valid rules file.",
    discussion: """
      Each finding has a code, a location, the line and a remedy. With test files, or folders of them, lint also checks \
      that their queries have an index.

      Exits with 0 without warnings, with 1 if there are warnings (with --strict, also for infos), and \
      with 2 if a file cannot be read.
      """)

  @Argument(help: ArgumentHelp("The rules file.", valueName: "rules"))
  var rules: String

  @Argument(help: ArgumentHelp("Test files of these rules, and folders of them.", valueName: "tests"))
  var tests: [String] = []

  @Option(help: "text, json, sarif for code scanning, or github for annotations on a pull request.")
  var format: LintReport.Format?

  @Flag(help: "Print one JSON object, the same as --format json.")
  var json = false

  @Flag(help: "Also exit with 1 for infos.")
  var strict = false

  @OptionGroup var plugin: RulesPluginOption

  /// Creates a command, whose options are set by parsing.
  package init() {}

  /// - Throws: `ValidationError` when options contradict each other.
  package func validate() throws {
    if json, let format, format != .json {
      throw ValidationError(
        "--json and --format \(format.rawValue) contradict each other. Use one of them.")
    }
  }

  /// Prints the findings.
  ///
  /// - Throws: the exit code: 0, 1 or 2 as the help text says.
  package func run() async throws {
    let report = await report()
    let text = report.rendered(as: json ? .json : format ?? .text, style: TerminalStyle(isColored: Output.isColored))
    Output.raw(Array(text.utf8), to: STDOUT_FILENO)
    if !report.problems.isEmpty { throw ExitCode(2) }
    if report.warningCount > 0 || strict && !report.findings.isEmpty { throw ExitCode(1) }
  }

  private func report() async -> LintReport {
    var report = LintReport()
    let tests = tests.flatMap { read(testsAt: $0, &report.problems) }
    do {
      let set = try RuleSet.compile(try await plugin.read(rules), keepsExpressions: true)
      report.findings = Lint.findings(in: set, file: rules, tests: tests)
    } catch let error as RulesError {
      report.problems += error.diagnostics.map { .init(file: rules, $0) }
    } catch {
      report.problems.append(.init(file: rules, message: "\(error)"))
    }
    return report
  }

  private func read(testsAt path: String, _ problems: inout [RulesTestReport.Problem]) -> [RulesTestFile] {
    guard let files = TestFileSearch.files(at: path) else {
      problems.append(.init(file: path, message: "no such file or folder"))
      return []
    }
    return files.compactMap { file in
      do {
        return try RulesTestReader.read(DocumentText(file: file, text: try TextFile.read(file)))
      } catch let problem as DocumentProblem {
        problems.append(.init(file: problem.file, problem.diagnostic))
      } catch {
        problems.append(.init(file: file, message: "\(error)"))
      }
      return nil
    }
  }
}

extension LintReport.Format: ExpressibleByArgument {}
