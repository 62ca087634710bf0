import HearthRules
import HearthTree

extension CoverageReport {
  /// The coverage of each file, one line each.
  package func summary(_ paint: Paint) -> String {
    files.map { Self.line(of: $0, paint) + "\n" }.joined()
  }

  /// The rules with a missing outcome, by file, each with the missing outcomes below it.
  package func text(_ paint: Paint) -> String {
    var lines: [String] = []
    for file in files {
      lines += ["", Self.line(of: file, paint)]
      let source = file.source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      for rule in file.rules {
        let missing = rule.expression.missing
        guard !missing.isEmpty else { continue }
        lines += Self.lines(of: rule, missing, source, paint)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(of file: File, _ paint: Paint) -> String {
    let tally = file.tally
    let share = "\(tally.percent) % of conditions, \(tally.seenCount) of \(tally.totalCount) outcomes"
    return paint.strong(file.name.printable) + "  " + Self.paint(share, tally, paint)
  }

  private static func paint(_ text: String, _ tally: CoverageTally, _ paint: Paint) -> String {
    tally.percent == 100 ? paint.good(text) : paint.warning(text)
  }

  private static func lines(
    of rule: RuleCoverage, _ missing: [CoveredExpression], _ source: [String], _ paint: Paint
  ) -> [String] {
    let reference = rule.rule
    var tally = CoverageTally()
    tally.add(rule.expression)
    let place = "\(reference.line):\(reference.column)"
    var lines = [
      "",
      "  \(paint.faint(place)) .\(reference.kind.rawValue) at \(reference.pathTemplate.printable)  \(tally.percent) %",
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
      lines.append("    " + blank + paint.warning(mark + " " + expression.seen.rawValue))
    }
    return lines
  }

  /// Characters between two places of a line, which are counted in UTF-16 units.
  private static func width(of line: String, utf16 range: Range<Int>) -> Int {
    let units = Array(line.utf16)
    let bounds = max(0, min(range.lowerBound, units.count))..<max(0, min(range.upperBound, units.count))
    return String(decoding: units[bounds], as: UTF16.self).unicodeScalars.count
  }
}
