/// The number of evaluations of one rule of a file, and of its parts.
public struct RuleCoverage: Sendable {
  /// The rule.
  public let rule: RuleReference
  /// The whole rule, with its parts.
  public let expression: CoveredExpression

  init(_ rule: Rule, _ inspection: RuleInspection, _ counts: [UInt64]) {
    self.rule = RuleReference(rule)
    var outcomes: [Range<Int32>: OutcomeCounts] = [:]
    let width = ObservedOutcome.allCases.count
    for index in 0..<counts.count / width {
      let range = inspection.sites.range(at: index)
      if range.isEmpty { continue }
      outcomes[range, default: OutcomeCounts()].add(counts[index * width..<(index + 1) * width])
    }
    expression = CoveredExpression(inspection.expression, of: rule, outcomes)
  }
}

/// A part of a rule, with its position and the counts of its outcomes.
public struct CoveredExpression: Sendable {
  /// The range in the rule's text, in UTF-8 bytes, including surrounding parentheses.
  public let range: Range<Int>
  /// The 1-based line of the rules file in which it begins.
  public let line: Int
  /// The 1-based column of its first character.
  public let column: Int
  /// The 1-based line of the rules file in which it ends.
  public let endLine: Int
  /// The 1-based column after its last character.
  public let endColumn: Int
  /// True when it is a condition: a Boolean that is not written as a constant.
  public let isCondition: Bool
  /// The counts of its outcomes.
  public let counts: OutcomeCounts
  /// The operands, in the order of the text.
  public let operands: [CoveredExpression]

  // The recursion is as deep as the rule's expression, whose depth is limited.
  init(_ expression: TypedExpression, of rule: Rule, _ outcomes: [Range<Int32>: OutcomeCounts]) {
    range = expression.range
    let (start, end) = rule.span(ofBytes: range)
    (line, column, endLine, endColumn) = (start.line, start.column, end.line, end.column)
    let isConstant: Bool = if case .constant = expression.form { true } else { false }
    isCondition = expression.type == .boolean && !isConstant
    counts = outcomes[Int32(range.lowerBound)..<Int32(range.upperBound)] ?? OutcomeCounts()
    operands = expression.operands.map { CoveredExpression($0, of: rule, outcomes) }
  }
}

/// The counts of a part's outcomes.
public struct OutcomeCounts: Sendable, Equatable {
  /// The number of `null` results.
  public internal(set) var nullCount: UInt64 = 0
  /// The number of `true` results.
  public internal(set) var trueCount: UInt64 = 0
  /// The number of `false` results.
  public internal(set) var falseCount: UInt64 = 0
  /// The number of results with any other value.
  public internal(set) var otherCount: UInt64 = 0
  /// The number of evaluation errors.
  public internal(set) var errorCount: UInt64 = 0

  /// Creates counts of zero.
  public init() {}

  /// The number of evaluations.
  public var total: UInt64 { nullCount &+ trueCount &+ falseCount &+ otherCount &+ errorCount }

  /// Returns the sums of the counts.
  package static func + (a: OutcomeCounts, b: OutcomeCounts) -> OutcomeCounts {
    var sum = a
    sum.nullCount &+= b.nullCount
    sum.trueCount &+= b.trueCount
    sum.falseCount &+= b.falseCount
    sum.otherCount &+= b.otherCount
    sum.errorCount &+= b.errorCount
    return sum
  }

  mutating func add(_ counts: ArraySlice<UInt64>) {
    for (outcome, count) in zip(ObservedOutcome.allCases, counts) {
      switch outcome {
      case .null: nullCount &+= count
      case .yes: trueCount &+= count
      case .no: falseCount &+= count
      case .other: otherCount &+= count
      case .error: errorCount &+= count
      }
    }
  }
}
