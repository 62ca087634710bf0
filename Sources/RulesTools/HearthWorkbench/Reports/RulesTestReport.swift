import HearthRules

/// All that came of a run of test files.
package struct RulesTestReport: Sendable {
  /// A test file that was run, and the rules that it was run against.
  package struct File: Sendable {
    /// The cases.
    package var test: RulesTestFile
    /// The rules file as messages name it.
    package var rulesFile: String
    /// The rules.
    package var rules: RuleSet
    /// One result for each case.
    package var results: [RulesTestResult]

    /// A file and its results.
    package init(test: RulesTestFile, rulesFile: String, rules: RuleSet, results: [RulesTestResult]) {
      self.test = test
      self.rulesFile = rulesFile
      self.rules = rules
      self.results = results
    }

    /// The number of cases that failed.
    package var failedCount: Int { results.count { $0.failure != nil } }
  }

  /// A file that could not be read, or makes no sense.
  package struct Problem: Sendable {
    /// The file.
    package var file: String
    /// The place where in it; nil for the file as a whole.
    package var diagnostic: RulesError.Diagnostic?
    /// The fault.
    package var message: String

    /// A problem of the file as a whole.
    package init(file: String, message: String) {
      self.file = file
      self.message = message
    }

    /// A problem at a place.
    package init(file: String, _ diagnostic: RulesError.Diagnostic) {
      self.file = file
      self.diagnostic = diagnostic
      message = diagnostic.message
    }

    /// What a person reads.
    package var rendered: String {
      diagnostic?.rendered(file: file, as: "error") ?? "\(file): error: \(message)\n"
    }
  }

  /// What was run.
  package var files: [File]
  /// What could not be.
  package var problems: [Problem]
  /// What the cases saw of the rules; nil when nothing was counted.
  package var coverage: CoverageReport?
  /// True when the report for people says what no case has seen.
  package var showsCoverage = false
  /// Whole percent of conditions that the cases must see.
  package var coveragePercentMin = 0
  /// The time that it took, reading included.
  package var elapsedMilliseconds: Double

  /// A report of these parts.
  package init(files: [File] = [], problems: [Problem] = [], elapsedMilliseconds: Double = 0) {
    self.files = files
    self.problems = problems
    self.elapsedMilliseconds = elapsedMilliseconds
  }

  /// The number of cases that passed.
  package var passedCount: Int { files.reduce(0) { $0 + $1.results.count - $1.failedCount } }
  /// The number of cases that failed.
  package var failedCount: Int { files.reduce(0) { $0 + $1.failedCount } }

  /// True when the cases saw as much as they must.
  package var isCovered: Bool { coverage.map { $0.tally.percent >= coveragePercentMin } ?? true }

  /// The forms that a report can have.
  package enum Format: String, Sendable, CaseIterable {
    /// For people.
    case text
    /// XML that build servers read.
    case junit
    /// The Test Anything Protocol, version 14.
    case tap
    /// One object.
    case json
    /// What GitHub's workflows turn into notes beside the lines.
    case github
  }

  /// The report, with a line break at its end.
  package func rendered(as format: Format, paint: Paint) -> String {
    switch format {
    case .text: text(paint)
    case .junit: junit
    case .tap: tap
    case .json: String(decoding: json.text(), as: UTF8.self) + "\n"
    case .github: github
    }
  }
}
