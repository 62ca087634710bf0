import HearthTree

extension RulesCoverage {
  /// The counts so far: `{"rules":[{"path","kind","line","column","expression":{…}}]}`, in the order of the file. An
  /// expression has its `text`, its beginning and end, whether it is a `condition`, the counts of its outcomes, and its
  /// `operands`.
  public var json: JSON { .object([.init("rules", .array(report().map(\.json)))]) }
}

extension RuleCoverage {
  fileprivate var json: JSON {
    .object([
      .init("path", .string(rule.pathTemplate)), .init("kind", .string(rule.kind.rawValue)),
      .init("line", .int(Int64(rule.line))), .init("column", .int(Int64(rule.column))),
      .init("expression", expression.json(of: rule.expression)),
    ])
  }
}

extension CoveredExpression {
  // Levels are those of the rule, which the file bounds.
  fileprivate func json(of rule: String) -> JSON {
    let start = rule.utf8.index(rule.utf8.startIndex, offsetBy: range.lowerBound)
    let end = rule.utf8.index(start, offsetBy: range.count)
    var members: [JSON.Member] = [
      .init("text", .string(TracedValue.beginning(of: String(rule[start..<end])))),
      .init("line", .int(Int64(line))), .init("column", .int(Int64(column))),
      .init("endLine", .int(Int64(endLine))), .init("endColumn", .int(Int64(endColumn))),
      .init("condition", .bool(isCondition)), .init("counts", counts.json),
    ]
    if !operands.isEmpty { members.append(.init("operands", .array(operands.map { $0.json(of: rule) }))) }
    return .object(members)
  }
}

extension OutcomeCounts {
  fileprivate var json: JSON {
    .object([
      .init("total", .int(Int64(clamping: total))), .init("true", .int(Int64(clamping: trueCount))),
      .init("false", .int(Int64(clamping: falseCount))), .init("null", .int(Int64(clamping: nullCount))),
      .init("other", .int(Int64(clamping: otherCount))), .init("error", .int(Int64(clamping: errorCount))),
    ])
  }
}
