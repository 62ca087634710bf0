import HearthRules

/// Searches for probable mistakes in rules that are correct.
package enum Lint {
  /// The findings, in the order of the files.
  ///
  /// - Parameters:
  ///   - file: the rules file's name in messages.
  ///   - tests: test files of these rules, for their queries.
  package static func findings(in rules: RuleSet, file: String, tests: [RulesTestFile] = []) -> [LintFinding] {
    let rules = rules.withExpressions
    var tree = TreeLint(collector: LintCollector(file: file, text: rules.writtenSource))
    tree.check(rules.root)
    let warnings = rules.warnings.map { warning in
      var warning = warning
      warning.message = LintFinding.printable(warning.message)
      return LintFinding(code: .checkWarning, file: file, path: nil, kind: nil, diagnostic: warning)
    }
    let queries = QueryLint(rules: rules)
    let found = (warnings + tree.collector.findings).sorted { Self.order(of: $0) < Self.order(of: $1) }
    return Array((found + tests.flatMap { queries.findings(in: $0) }).prefix(WorkbenchLimits.findingsMax))
  }

  private static func order(of finding: LintFinding) -> (Int, Int, String) {
    (finding.diagnostic.line, finding.diagnostic.column, finding.code.rawValue)
  }
}
