import HearthRules

/// How much of some rules files the cases have seen, and what they have not.
///
/// What counts are the conditions: every sub-expression that is always true or false and not written as such. Each has
/// two outcomes, and a condition that was only ever true was never shown to refuse anybody.
package struct CoverageReport: Sendable {
  /// One rules file.
  package struct File: Sendable {
    /// As messages name it.
    package var name: String
    /// The whole text.
    package var source: String
    /// In the order of the file.
    package var rules: [RuleCoverage]

    /// What was seen of the file.
    package var tally: CoverageTally {
      rules.reduce(into: CoverageTally()) { $0.add($1.expression) }
    }
  }

  /// The files.
  package var files: [File]

  /// The report of what was counted so far.
  package init(_ counted: [(file: String, coverage: RulesCoverage)]) {
    files = counted.map { File(name: $0.file, source: $0.coverage.rules.writtenSource, rules: $0.coverage.report()) }
  }

  /// What was seen of all of them.
  package var tally: CoverageTally {
    files.reduce(into: CoverageTally()) { $0.add($1.tally) }
  }
}

/// Outcomes of conditions.
package struct CoverageTally: Sendable, Equatable {
  /// How many were seen.
  package private(set) var seenCount = 0
  /// How many there are: two for each condition.
  package private(set) var totalCount = 0

  /// Whole percent, never rounded up to 100; 100 when there is nothing to see.
  package var percent: Int { totalCount == 0 ? 100 : seenCount * 100 / totalCount }

  mutating func add(_ other: CoverageTally) {
    seenCount += other.seenCount
    totalCount += other.totalCount
  }

  // Levels are those of the rule, which the file bounds.
  mutating func add(_ expression: CoveredExpression) {
    if expression.isCondition {
      totalCount += 2
      seenCount += (expression.counts.trueCount > 0 ? 1 : 0) + (expression.counts.falseCount > 0 ? 1 : 0)
    }
    for operand in expression.operands { add(operand) }
  }
}

extension OutcomeCounts {
  /// Which outcomes of a condition were seen.
  enum Seen: String {
    case both
    case neverTrue = "never true"
    case neverFalse = "never false"
    case neither = "never evaluated"
    /// Every time it could not be evaluated.
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

  /// The class of a condition's mark in the page.
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

  /// The conditions of which an outcome is missing. Of one that was never evaluated, its parts are not named again.
  var missing: [CoveredExpression] {
    let isMissing = isCondition && seen != .both
    if isMissing, seen == .neither { return [self] }
    return (isMissing ? [self] : []) + operands.flatMap(\.missing)
  }
}
