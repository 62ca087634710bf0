import HearthRules

/// The text of a rules file, as HTML: each condition is a mark, and behind each rule stands how often it ran.
struct MarkedSource {
  /// A tag and the place before which it stands.
  private struct Tag {
    var line: Int
    /// UTF-16 units from the line's beginning.
    var unit: Int
    var text: String
  }

  private let lines: [String]
  private var tags: [Tag] = []

  init(_ file: CoverageReport.File) {
    lines = file.source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.hasSuffix("\r") ? line.dropLast() : line)
    }
    for rule in file.rules {
      add(rule.expression)
      let counts = rule.expression.counts
      let said = counts.total == 0 ? "never evaluated" : "true \(counts.trueCount)× false \(counts.falseCount)×"
      let errors = counts.errorCount == 0 ? "" : " error \(counts.errorCount)×"
      tags.append(
        Tag(
          line: rule.expression.endLine, unit: Int.max,
          text: "<em class=\"\(rule.expression.mark)\">\(said)\(errors)</em>"))
    }
  }

  // Levels are those of the rule, which the file bounds.
  private mutating func add(_ expression: CoveredExpression) {
    // What is all right inside of what is all right needs no mark of its own.
    if expression.isCondition {
      let counts = expression.counts
      let title =
        "true \(counts.trueCount)×, false \(counts.falseCount)×, error \(counts.errorCount)×: \(expression.seen.rawValue)"
      tags.append(
        Tag(
          line: expression.line, unit: expression.column - 1,
          text: "<span class=\"\(expression.mark)\" title=\"\(CoverageReport.escaped(title))\">"))
    }
    for operand in expression.operands { add(operand) }
    if expression.isCondition {
      tags.append(Tag(line: expression.endLine, unit: expression.endColumn - 1, text: "</span>"))
    }
  }

  /// Line numbers beside the text.
  var html: String {
    let numbers = (1...max(1, lines.count)).map(String.init).joined(separator: "\n")
    return """
      <div class="source"><pre class="numbers">\(numbers)</pre><pre>\(marked)</pre></div>

      """
  }

  /// Tags were added in the order of the text, since expressions nest, except those at a line's end.
  private var marked: String {
    let byLine = Dictionary(grouping: tags, by: \.line)
    return lines.enumerated().map { index, line in
      let units = Array(line.utf16)
      var (text, at) = ("", 0)
      let tags = byLine[index + 1] ?? []
      for tag in tags.filter({ $0.unit < Int.max }) + tags.filter({ $0.unit == Int.max }) {
        // A rule's count stands behind the line, whatever follows the rule there.
        let unit = max(at, min(tag.unit, units.count))
        text += CoverageReport.escaped(String(decoding: units[at..<unit], as: UTF16.self)) + tag.text
        at = unit
      }
      return text + CoverageReport.escaped(String(decoding: units[at...], as: UTF16.self))
    }.joined(separator: "\n")
  }
}
