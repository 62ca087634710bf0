import HearthRules

/// A collector of the findings in a rules file.
struct LintCollector {
  let file: String
  private let lines: SourceText
  private(set) var findings: [LintFinding] = []

  init(file: String, text: String) {
    self.file = file
    lines = SourceText(text)
  }

  /// Adds a finding in a rule, at a part of it or at its beginning.
  mutating func add(_ code: LintCode, _ message: String, in rule: Rule, at part: TypedExpression? = nil) {
    guard findings.count < WorkbenchLimits.findingsMax else { return }
    let position = part.map { rule.position(of: $0) } ?? rule.position
    let diagnostic = RulesError.Diagnostic(
      line: position.line, column: position.column, message: LintFinding.printable(message), help: code.help,
      sourceLine: lines.line(position.line))
    findings.append(
      LintFinding(
        code: code, file: file, path: LintFinding.printable(rule.pathTemplate), kind: rule.kind,
        diagnostic: diagnostic))
  }
}
