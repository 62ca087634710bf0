import HearthRules

/// The trace of a rules decision. Of data and credentials it shows only `true`, `false` and `null`, the lengths of
/// strings, and that a value is a number; it shows constants of the rules file itself.
enum TrialTrace {
  static func lines(of decision: Decision) -> [String] {
    let visits = decision.visited
    var lines: [String] = []
    if visits.count <= TrialLimits.traceRulesMax {
      lines = visits.map(line)
    } else {
      let half = TrialLimits.traceRulesMax / 2
      lines = visits.prefix(half).map(line)
      lines.append("\(visits.count - 2 * half + (decision.trace?.omittedCount ?? 0)) more rules")
      lines += visits.suffix(half).map(line)
    }
    if decision.rule == nil { lines.append("no rule applies to this path") }
    return lines
  }

  private static func line(_ visit: RuleVisit) -> String {
    let rule = visit.rule
    var line =
      ".\(rule.kind.rawValue) at \(ReportText.of(rule.pathTemplate)) (\(ReportText.of(rule.place))) is \(word(visit))"
    guard let decisive = visit.decisive, !decisive.isLiteral else { return line }
    line += ": \(ReportText.of(decisive.text))"
    let values = decisive.operands.filter { !$0.isLiteral }.prefix(TrialLimits.traceValuesMax).map { operand in
      "\(ReportText.of(operand.text)) is \(word(operand.result))"
    }
    return values.isEmpty ? line : line + " [\(values.joined(separator: ", "))]"
  }

  private static func word(_ visit: RuleVisit) -> String {
    switch visit.result {
    case .value(let value): value ? "true" : "false"
    case .error(let error): "error: \(error.message)"
    }
  }

  private static func word(_ result: TracedExpression.Result) -> String {
    switch result {
    case .notReached: "not reached"
    case .value(let value): word(value)
    case .error(let code): "error: \(code.message)"
    }
  }

  private static func word(_ value: TracedValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number: "a number"
    case .text(_, let sizeBytes): "a string of \(sizeBytes) bytes"
    case .container: "a node with children"
    case .claim: "a list or an object"
    case .snapshot(_, let isAfter, .null): isAfter ? "nothing after the write" : "nothing"
    case .snapshot(_, let isAfter, _): isAfter ? "something after the write" : "something"
    }
  }
}
