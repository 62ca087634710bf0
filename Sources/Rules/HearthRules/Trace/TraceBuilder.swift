import HearthTree

/// A builder of the trace of one rule from its observation and its expression.
struct TraceBuilder {
  private let rule: Rule
  private let results: [Range<Int32>: TracedExpression.Result]
  /// The number of further sub-expressions that may be recorded.
  private(set) var entriesLeft: Int
  private(set) var isCut = false

  private init(_ rule: Rule, _ inspection: RuleInspection, _ observation: Observation, entriesLeft: Int) {
    self.rule = rule
    self.entriesLeft = entriesLeft
    var results: [Range<Int32>: TracedExpression.Result] = [:]
    for note in observation.notes {
      let range = inspection.sites.range(at: inspection.sites.index(of: note.site))
      if !range.isEmpty { results[range] = TracedExpression.Result(note.value) }
    }
    self.results = results
  }

  /// Creates the visit of a rule that was just evaluated.
  static func visit(
    _ rule: Rule, at path: Path, _ result: RuleVisit.Result, _ observation: Observation, entriesLeft: inout Int
  ) -> RuleVisit {
    var visit = RuleVisit(rule: RuleReference(rule), path: path, result: result)
    guard let inspection = rule.inspection else { return visit }
    var builder = TraceBuilder(rule, inspection, observation, entriesLeft: entriesLeft)
    visit.expression = builder.traced(inspection.expression)
    let decisive = builder.decisive(inspection.expression)
    let operands = decisive.operands.prefix(RulesLimits.traceReadsMax).map { builder.part($0, operands: []) }
    visit.decisive = builder.part(decisive, operands: operands)
    visit.reads = observation.reads.prefix(RulesLimits.traceReadsMax).map { TracedRead($0) }
    visit.isCut = builder.isCut || observation.reads.count > RulesLimits.traceReadsMax
    entriesLeft = builder.entriesLeft
    return visit
  }

  // The recursion is as deep as the rule's expression, whose depth is limited.
  private mutating func traced(_ expression: TypedExpression) -> TracedExpression {
    entriesLeft -= 1
    var operands: [TracedExpression] = []
    for operand in expression.operands {
      guard entriesLeft > 0 else {
        isCut = true
        break
      }
      operands.append(traced(operand))
    }
    return part(expression, operands: operands)
  }

  private func part(_ expression: TypedExpression, operands: [TracedExpression]) -> TracedExpression {
    let (start, end) = rule.span(ofBytes: expression.range)
    let isLiteral: Bool = if case .constant = expression.form { true } else { false }
    return TracedExpression(
      range: expression.range, text: text(of: expression), line: start.line, column: start.column,
      endLine: end.line, endColumn: end.column, isLiteral: isLiteral,
      result: result(of: expression), operands: operands)
  }

  private func text(of expression: TypedExpression) -> String {
    let utf8 = rule.text.utf8
    let start = utf8.index(utf8.startIndex, offsetBy: expression.range.lowerBound)
    let end = utf8.index(start, offsetBy: expression.range.count)
    return TracedValue.beginning(of: String(rule.text[start..<end]))
  }

  private func result(of expression: TypedExpression) -> TracedExpression.Result {
    results[Int32(expression.range.lowerBound)..<Int32(expression.range.upperBound)] ?? .notReached
  }

  /// Returns the part that decided the result of the whole expression.
  private func decisive(_ expression: TypedExpression) -> TypedExpression {
    var place = expression
    while let next = cause(of: place) { place = next }
    return place
  }

  private func cause(of expression: TypedExpression) -> TypedExpression? {
    let result = result(of: expression)
    if case .error = result {
      return expression.operands.first { if case .error = self.result(of: $0) { true } else { false } }
    }
    switch expression.form {
    case .not(let operand): return operand
    case .all(let operands): return operands.first { self.result(of: $0) == .value(.bool(false)) }
    case .any(let operands): return operands.first { self.result(of: $0) == .value(.bool(true)) }
    case .conditional(let condition, let then, let otherwise):
      let chosen = self.result(of: condition) == .value(.bool(true)) ? then : otherwise
      if case .constant = chosen.form { return condition }
      return chosen
    default: return nil
    }
  }
}

extension TracedExpression.Result {
  init(_ noted: ObservedValue) {
    switch noted {
    case .value(let value): self = .value(TracedValue(value))
    case .claim(let claim): self = .value(TracedValue(claim))
    case .snapshot(let isAfter, let keys, let node): self = .value(TracedValue(isAfter: isAfter, keys, node))
    case .error(let error): self = .error(error.code)
    }
  }
}
