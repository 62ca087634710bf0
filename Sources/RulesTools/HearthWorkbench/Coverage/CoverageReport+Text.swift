import HearthRules
import HearthTree

extension CoverageReport {
  /// Returns the coverage of each file, one line each.
  package func summary(_ style: TerminalStyle) -> String {
    files.map { Self.line(of: $0, style) + "\n" }.joined()
  }

  /// Returns the rules with a missing outcome, by file, each followed by its missing outcomes.
  package func text(_ style: TerminalStyle) -> String {
    var lines: [String] = []
    for file in files {
      lines += ["", Self.line(of: file, style)]
      let source = file.source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for rule in file.rules {
        let missing = rule.expression.missing
        guard !missing.isEmpty else { continue }
        lines += Self.lines(of: rule, missing, source, style)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(of file: File, _ style: TerminalStyle) -> String {
    let tally = file.tally
    let share = "\(tally.percent) % of conditions, \(tally.seenCount) of \(tally.totalCount) outcomes"
    return style.strong(file.name.printable) + "  " + Self.colored(share, tally, style)
  }

  private static func colored(_ text: String, _ tally: CoverageTally, _ style: TerminalStyle) -> String {
    tally.percent == 100 ? style.good(text) : style.warning(text)
  }

  private static func lines(
    of rule: RuleCoverage, _ missing: [CoveredExpression], _ source: [String], _ style: TerminalStyle
  ) -> [String] {
    let reference = rule.rule
    var tally = CoverageTally()
    tally.add(rule.expression)
    let place = "\(reference.line):\(reference.column)"
    var lines = [
      "",
      "  \(style.faint(place)) .\(reference.kind.rawValue) at \(reference.pathTemplate.printable)  \(tally.percent) %",
    ]
    var lastLine = 0
    for expression in missing {
      guard source.indices.contains(expression.line - 1) else { continue }
      let text = source[expression.line - 1]
      guard text.utf8.count <= RulesLimits.sourceLineBytesMax else {
        lines.append("    \(expression.line):\(expression.column) \(expression.seen.rawValue)")
        continue
      }
      let indent = text.prefix { $0 == " " || $0 == "\t" }.utf16.count
      if expression.line != lastLine { lines.append("    " + String(text.dropFirst(indent)).printable) }
      lastLine = expression.line
      let start = expression.column - 1
      let end = expression.endLine == expression.line ? expression.endColumn - 1 : text.utf16.count
      let blank = String(repeating: " ", count: max(0, Self.width(of: text, utf16: indent..<start)))
      let mark = String(repeating: "~", count: max(1, Self.width(of: text, utf16: start..<end)))
      lines.append("    " + blank + style.warning(mark + " " + expression.seen.rawValue))
    }
    return lines
  }

  /// Returns the number of characters between two positions of a line, which are given in UTF-16 units.
  private static func width(of line: String, utf16 range: Range<Int>) -> Int {
    let units = Array(line.utf16)
    let bounds = max(0, min(range.lowerBound, units.count))..<max(0, min(range.upperBound, units.count))
    return String(decoding: units[bounds], as: UTF16.self).unicodeScalars.count
  }
}
