import HearthRules

extension CoverageReport {
  /// The report in LCOV's trace format: rules are functions, conditions are branches with the outcomes true and false.
  package var lcov: String {
    files.map(Self.record).joined()
  }

  private static func record(of file: File) -> String {
    var functions: [String] = []
    var branches: [String] = []
    var hits: [Int: UInt64] = [:]
    var tally = CoverageTally()
    for rule in file.rules {
      let name = ".\(rule.rule.kind.rawValue) at \(rule.rule.pathTemplate)".printable
      functions.append("FN:\(rule.rule.line),\(name)")
      functions.append("FNDA:\(rule.expression.counts.total),\(name)")
      var conditions: [CoveredExpression] = []
      collect(rule.expression, &conditions, &hits)
      for (block, condition) in conditions.enumerated() {
        let isReached = condition.counts.total > 0
        for (branch, count) in [condition.counts.trueCount, condition.counts.falseCount].enumerated() {
          branches.append("BRDA:\(condition.line),\(block),\(branch),\(isReached ? "\(count)" : "-")")
        }
      }
      tally.add(rule.expression)
    }
    let reached = file.rules.count { $0.expression.counts.total > 0 }
    var lines = ["TN:", "SF:\(file.name.printable)"] + functions
    lines += ["FNF:\(file.rules.count)", "FNH:\(reached)"] + branches
    lines += ["BRF:\(tally.totalCount)", "BRH:\(tally.seenCount)"]
    lines += hits.sorted { $0.key < $1.key }.map { "DA:\($0.key),\($0.value)" }
    lines += ["LF:\(hits.count)", "LH:\(hits.values.count { $0 > 0 })", "end_of_record"]
    return lines.joined(separator: "\n") + "\n"
  }

  // The recursion is as deep as the rule's expression, whose depth is limited.
  private static func collect(
    _ expression: CoveredExpression, _ conditions: inout [CoveredExpression], _ hits: inout [Int: UInt64]
  ) {
    if expression.isCondition { conditions.append(expression) }
    hits[expression.line] = max(hits[expression.line] ?? 0, expression.counts.total)
    for operand in expression.operands { collect(operand, &conditions, &hits) }
  }
}
