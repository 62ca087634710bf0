import HearthProgram
import HearthRules
import HearthSystem
import HearthTree
import HearthWorkbench

/// One run of the tests: it finds the test files, reads them and their rules, and runs them.
struct TestSession {
  /// Versions of files, for detecting changes.
  struct WatchedFiles: Equatable {
    /// The versions of the files before they were read; nil for a missing one.
    fileprivate(set) var versions: [String: FileVersion?] = [:]
    private let found: [String]

    /// Finds the test files.
    ///
    /// - Parameter paths: The folders in which new test files may appear.
    init(below paths: [String]) { found = paths.flatMap { TestFileSearch.files(at: $0) ?? [] } }

    /// Returns the same files with their current versions.
    func now(below paths: [String]) -> WatchedFiles {
      var watched = WatchedFiles(below: paths)
      for path in versions.keys { watched.see(path) }
      return watched
    }

    /// Records the version of a file before it is read, so that a change during reading is detected.
    fileprivate mutating func see(_ path: String) {
      if versions[path] == nil { versions[path] = .some(FileVersion(of: path)) }
    }
  }

  let command: TestCommand
  private var rulesByPath: [String: RuleSet?] = [:]
  /// The coverage of each rules file, in the order in which test files named them.
  private var counted: [(file: String, coverage: RulesCoverage)] = []
  private var report = RulesTestReport()
  private var watched: WatchedFiles

  init(command: TestCommand) {
    self.command = command
    watched = WatchedFiles(below: command.paths)
  }

  /// Runs the tests, and returns the report with the files that it depends on.
  consuming func run() async -> (report: RulesTestReport, watched: WatchedFiles) {
    let started = WallClock.monotonicNanoseconds
    var session = self
    for path in session.command.paths { await session.runAll(at: path) }
    session.report.coverage = CoverageReport(session.counted)
    session.report.showsCoverage = session.command.coverage
    session.report.coveragePercentMin = session.command.min ?? 0
    session.report.elapsedMilliseconds = WallClock.seconds(since: started) * 1000
    return (session.report, session.watched)
  }

  private mutating func runAll(at path: String) async {
    guard let files = TestFileSearch.files(at: path) else {
      report.problems.append(.init(file: path, message: "no such file or folder"))
      return
    }
    if files.isEmpty {
      report.problems.append(
        .init(
          file: path, message: "no test files here; name them tests.yaml, NAME.test.yaml, tests.json or NAME.test.json")
      )
    }
    for file in files { await runFile(file) }
  }

  private mutating func runFile(_ path: String) async {
    watched.see(path)
    do {
      var test = try RulesTestReader.read(DocumentText(file: path, text: try TextFile.read(path)))
      guard let rulesFile = try rulesFile(of: test), let rules = await rules(at: rulesFile) else { return }
      if let filter = command.filter, !path.contains(filter) {
        test.cases.removeAll { !$0.name.contains(filter) }
        if test.cases.isEmpty { return }
      }
      report.files.append(
        .init(
          test: test, rulesFile: rulesFile, rules: rules, results: RulesTestRun.run(test, rules: rules)))
    } catch let problem as DocumentProblem {
      report.problems.append(.init(file: problem.file, problem.diagnostic))
    } catch {
      report.problems.append(.init(file: path, message: "\(error)"))
    }
  }

  /// Returns the rules file of a test file: that of the command, or the one that the test file names, relative to its
  /// folder.
  private func rulesFile(of test: RulesTestFile) throws -> String? {
    if let rules = command.rules { return rules }
    guard let named = test.rules else {
      throw TextFile.Failure("no rules file: name one with --rules, or as \"rules\" in the test file")
    }
    guard !named.path.hasPrefix("/"), let slash = test.document.file.lastIndex(of: "/") else { return named.path }
    return test.document.file[...slash] + named.path
  }

  /// Returns the rules of a file; nil when they are invalid, which is reported once.
  private mutating func rules(at path: String) async -> RuleSet? {
    if let known = rulesByPath[path] { return known }
    watched.see(path)
    var rules: RuleSet?
    do {
      let counting = try RuleSet.compile(try await command.plugin.read(path), keepsExpressions: true).counted
      rules = counting
      if let coverage = counting.coverage { counted.append((path, coverage)) }
    } catch let error as RulesError {
      report.problems += error.diagnostics.map { .init(file: path, $0) }
    } catch {
      report.problems.append(.init(file: path, message: "\(error)"))
    }
    rulesByPath[path] = .some(rules)
    return rules
  }
}
