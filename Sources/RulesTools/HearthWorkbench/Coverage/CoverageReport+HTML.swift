import HearthRules
import HearthTree

extension CoverageReport {
  /// A self-contained page: each rules file with its conditions marked, and for each rule the counts of its conditions'
  /// outcomes.
  package var html: String {
    let tally = tally
    var body = "<header><h1>Rules coverage</h1>\n<p class=\"sum\">\(Self.meter(tally))</p></header>\n"
    body += """
      <p class="key"><span class="both">seen true and false</span> <span class="half">one outcome missing</span>
      <span class="none">never evaluated</span></p>

      """
    for file in files { body += Self.section(of: file) }
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>Rules coverage: \(tally.percent) % of conditions</title>
      <style>
      \(CoverageStyle.css)
      </style></head><body>
      \(body)</body></html>

      """
  }

  private static func meter(_ tally: CoverageTally) -> String {
    """
    <span class="meter"><i style="width:\(tally.percent)%"></i></span> <b>\(tally.percent) %</b> of conditions, \
    \(tally.seenCount) of \(tally.totalCount) outcomes
    """
  }

  private static func section(of file: File) -> String {
    var text = "<section><h2>\(escaped(file.name))</h2>\n<p>\(meter(file.tally))</p>\n"
    text += MarkedSource(file).html
    for rule in file.rules { text += table(of: rule) }
    return text + "</section>\n"
  }

  /// The counts of the outcomes of a rule's conditions.
  private static func table(of rule: RuleCoverage) -> String {
    let reference = rule.rule
    var tally = CoverageTally()
    tally.add(rule.expression)
    var rows = ""
    addRows(of: rule.expression, in: reference.expression, depth: 0, &rows)
    let title = ".\(reference.kind.rawValue) at \(reference.pathTemplate)"
    let isOpen = tally.seenCount < tally.totalCount ? " open" : ""
    return """
      <details\(isOpen)><summary><code>\(escaped(title))</code> <span class="at">line \(reference.line)</span> \
      <b>\(tally.percent) %</b> <span class="at">evaluated \(rule.expression.counts.total)×</span></summary>
      <table><thead><tr><th>condition</th><th>true</th><th>false</th><th>error</th></tr></thead><tbody>
      \(rows)</tbody></table></details>

      """
  }

  // Levels are those of the rule, which the file bounds.
  private static func addRows(
    of expression: CoveredExpression, in rule: String, depth: Int, _ rows: inout String
  ) {
    var depth = depth
    if expression.isCondition || depth == 0 {
      let text = Array(rule.utf8)[expression.range.clamped(to: 0..<rule.utf8.count)]
      let counts = expression.counts
      rows += """
        <tr class="\(expression.mark)"><td style="padding-left:\(depth + 1)em"><code>\
        \(escaped(String(decoding: text, as: UTF8.self)))</code></td>\(cell(counts.trueCount, expression))\
        \(cell(counts.falseCount, expression))<td>\(counts.errorCount)</td></tr>

        """
      depth += 1
    }
    for operand in expression.operands { addRows(of: operand, in: rule, depth: depth, &rows) }
  }

  private static func cell(_ count: UInt64, _ expression: CoveredExpression) -> String {
    "<td\(count == 0 && expression.isCondition ? " class=\"zero\"" : "")>\(count)</td>"
  }

  /// Text between tags or in a quoted attribute; control characters are shown as U+FFFD.
  static func escaped(_ text: String) -> String {
    HTMLText.escaped(text) { scalar in
      switch scalar {
      case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}": "\u{FFFD}"
      default: nil
      }
    }
  }
}

extension CoveredExpression {
  /// The class of its mark in the page.
  var mark: String {
    isCondition ? counts.mark : counts.total > 0 ? "both" : "none"
  }
}
