import HearthRules

/// The coverage of rules files by test cases.
///
/// It counts conditions: every Boolean sub-expression that is not a literal. Each has two outcomes. For a condition
/// that was always true, the tests do not show that it refuses any client.
package struct CoverageReport: Sendable {
  /// The coverage of one rules file.
  package struct File: Sendable {
    /// The file's name in messages.
    package var name: String
    /// The whole text.
    package var source: String
    /// The rules in the order of the file.
    package var rules: [RuleCoverage]

    /// The coverage of the file's conditions.
    package var tally: CoverageTally {
      rules.reduce(into: CoverageTally()) { $0.add($1.expression) }
    }
  }

  /// The files.
  package var files: [File]

  /// Creates the report of the current counts.
  package init(_ counted: [(file: String, coverage: RulesCoverage)]) {
    files = counted.map { File(name: $0.file, source: $0.coverage.rules.writtenSource, rules: $0.coverage.report()) }
  }

  /// The coverage of all files together.
  package var tally: CoverageTally {
    files.reduce(into: CoverageTally()) { $0.add($1.tally) }
  }
}

/// The number of conditions' outcomes that occurred, and of those that are possible.
package struct CoverageTally: Sendable, Equatable {
  /// The number of outcomes that occurred.
  package private(set) var seenCount = 0
  /// The number of possible outcomes: two for each condition.
  package private(set) var totalCount = 0

  /// The percentage of outcomes that occurred, rounded down; 100 when there are no conditions.
  package var percent: Int { totalCount == 0 ? 100 : seenCount * 100 / totalCount }

  mutating func add(_ other: CoverageTally) {
    seenCount += other.seenCount
    totalCount += other.totalCount
  }

  // The recursion is as deep as the rule's expression, whose depth is limited.
  mutating func add(_ expression: CoveredExpression) {
    if expression.isCondition {
      totalCount += 2
      seenCount += (expression.counts.trueCount > 0 ? 1 : 0) + (expression.counts.falseCount > 0 ? 1 : 0)
    }
    for operand in expression.operands { add(operand) }
  }
}

extension OutcomeCounts {
  /// The outcomes of a condition that occurred.
  enum Seen: String {
    case both
    case neverTrue = "never true"
    case neverFalse = "never false"
    case neither = "never evaluated"
    /// Every evaluation was an error.
    case failed = "never true or false, only errors"
  }

  var seen: Seen {
    switch (trueCount > 0, falseCount > 0) {
    case (true, true): .both
    case (true, false): .neverFalse
    case (false, true): .neverTrue
    case (false, false): total == 0 ? .neither : .failed
    }
  }

  /// The CSS class of a condition's mark in the HTML page.
  var mark: String {
    switch seen {
    case .both: "both"
    case .neverTrue, .neverFalse: "half"
    case .neither, .failed: "none"
    }
  }
}

extension CoveredExpression {
  var seen: OutcomeCounts.Seen { counts.seen }

  /// The conditions with a missing outcome. Parts of a condition that was never evaluated are omitted.
  var missing: [CoveredExpression] {
    let isMissing = isCondition && seen != .both
    if isMissing, seen == .neither { return [self] }
    return (isMissing ? [self] : []) + operands.flatMap(\.missing)
  }
}
