import HearthRules

/// A search for probable mistakes in valid rules.
package enum Lint {
  /// Returns the findings, in the order of the files.
  ///
  /// - Parameters:
  /// - file: The rules file's name in messages.
  /// - tests: The test files of the rules, whose queries are checked.
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
