import HearthTree

extension RulesCoverage {
  /// The counts as JSON: `{"rules":[{"path","kind","line","column","expression":{…}}]}`, in the order of the file. An
  /// expression has its `text`, its beginning and end, whether it is a `condition`, the counts of its outcomes, and its
  /// `operands`.
  public var json: JSON { ["rules": .array(report().map(\.json))] }
}

extension RuleCoverage {
  fileprivate var json: JSON {
    [
      "path": .string(rule.pathTemplate), "kind": .string(rule.kind.rawValue), "line": .int(Int64(rule.line)),
      "column": .int(Int64(rule.column)), "expression": expression.json(of: rule.expression),
    ]
  }
}

extension CoveredExpression {
  // The recursion is as deep as the rule's expression, whose depth is limited.
  fileprivate func json(of rule: String) -> JSON {
    let start = rule.utf8.index(rule.utf8.startIndex, offsetBy: range.lowerBound)
    let end = rule.utf8.index(start, offsetBy: range.count)
    var json: JSON = [
      "text": .string(TracedValue.beginning(of: String(rule[start..<end]))), "line": .int(Int64(line)),
      "column": .int(Int64(column)), "endLine": .int(Int64(endLine)), "endColumn": .int(Int64(endColumn)),
      "condition": .bool(isCondition), "counts": counts.json,
    ]
    if !operands.isEmpty { json["operands"] = .array(operands.map { $0.json(of: rule) }) }
    return json
  }
}

extension OutcomeCounts {
  fileprivate var json: JSON {
    [
      "total": .int(Int64(clamping: total)), "true": .int(Int64(clamping: trueCount)),
      "false": .int(Int64(clamping: falseCount)), "null": .int(Int64(clamping: nullCount)),
      "other": .int(Int64(clamping: otherCount)), "error": .int(Int64(clamping: errorCount)),
    ]
  }
}
