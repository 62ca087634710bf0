import HearthRules

/// The result of a run of test files.
package struct RulesTestReport: Sendable {
  /// A test file that was run, and the rules that it was run against.
  package struct File: Sendable {
    /// The cases.
    package var test: RulesTestFile
    /// The rules file's name in messages.
    package var rulesFile: String
    /// The rules.
    package var rules: RuleSet
    /// One result for each case.
    package var results: [RulesTestResult]

    /// Creates a file with its results.
    package init(test: RulesTestFile, rulesFile: String, rules: RuleSet, results: [RulesTestResult]) {
      self.test = test
      self.rulesFile = rulesFile
      self.rules = rules
      self.results = results
    }

    /// The number of cases that failed.
    package var failedCount: Int { results.count { $0.failure != nil } }
  }

  /// A problem with a file that could not be read or is invalid.
  package struct Problem: Sendable {
    /// The file.
    package var file: String
    /// The position in the file; nil for a problem with the file as a whole.
    package var diagnostic: RulesError.Diagnostic?
    /// The message.
    package var message: String

    /// Creates a problem with the file as a whole.
    package init(file: String, message: String) {
      self.file = file
      self.message = message
    }

    /// Creates a problem at a position.
    package init(file: String, _ diagnostic: RulesError.Diagnostic) {
      self.file = file
      self.diagnostic = diagnostic
      message = diagnostic.message
    }

    /// The problem as text.
    package var rendered: String {
      diagnostic?.rendered(file: file, as: "error") ?? "\(file): error: \(message)\n"
    }
  }

  /// The test files that were run.
  package var files: [File]
  /// The files that could not be run.
  package var problems: [Problem]
  /// The coverage of the rules; nil without counting.
  package var coverage: CoverageReport?
  /// True when the text report lists uncovered conditions.
  package var showsCoverage = false
  /// The minimum coverage of conditions, in whole percent.
  package var coveragePercentMin = 0
  /// The duration of the run, including reading.
  package var elapsedMilliseconds: Double

  /// Creates a report.
  package init(files: [File] = [], problems: [Problem] = [], elapsedMilliseconds: Double = 0) {
    self.files = files
    self.problems = problems
    self.elapsedMilliseconds = elapsedMilliseconds
  }

  /// The number of cases that passed.
  package var passedCount: Int { files.reduce(0) { $0 + $1.results.count - $1.failedCount } }
  /// The number of cases that failed.
  package var failedCount: Int { files.reduce(0) { $0 + $1.failedCount } }

  /// True when the coverage reaches its minimum.
  package var isCovered: Bool { coverage.map { $0.tally.percent >= coveragePercentMin } ?? true }

  /// The forms that a report can have.
  package enum Format: String, Sendable, CaseIterable {
    /// Text for a terminal.
    case text
    /// XML that build servers read.
    case junit
    /// The Test Anything Protocol, version 14.
    case tap
    /// One JSON object.
    case json
    /// GitHub workflow commands, for annotations of the lines.
    case github
  }

  /// Returns the report, with a line break at its end.
  package func rendered(as format: Format, style: TerminalStyle) -> String {
    switch format {
    case .text: text(style)
    case .junit: junit
    case .tap: tap
    case .json: String(decoding: json.text(), as: UTF8.self) + "\n"
    case .github: github
    }
  }
}
