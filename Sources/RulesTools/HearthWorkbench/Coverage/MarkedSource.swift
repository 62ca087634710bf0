import HearthRules

/// The text of a rules file, as HTML: each condition is marked, and each rule is followed by its number of evaluations.
struct MarkedSource {
  /// An HTML tag, with its position in the text.
  private struct Tag {
    var line: Int
    /// The UTF-16 units from the line's beginning.
    var unit: Int
    var text: String
  }

  /// A condition at its position in the text. When several rules were generated from it, `counts` is their sum.
  private struct Mark {
    var start: Place
    var end: Place
    var counts: OutcomeCounts
  }

  private struct Place: Hashable, Comparable {
    var line: Int
    var column: Int

    static func < (a: Place, b: Place) -> Bool { (a.line, a.column) < (b.line, b.column) }
  }

  private let lines: [String]
  private var tags: [Tag] = []

  init(_ file: CoverageReport.File) {
    lines = file.source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.hasSuffix("\r") ? line.dropLast() : line)
    }
    var marks: [[Place]: Mark] = [:]
    for rule in file.rules { Self.collect(rule.expression, &marks) }
    add(marks.values.sorted { $0.start != $1.start ? $0.start < $1.start : $0.end > $1.end })
    for rule in file.rules {
      let counts = rule.expression.counts
      let said = counts.total == 0 ? "never evaluated" : "true \(counts.trueCount)× false \(counts.falseCount)×"
      let errors = counts.errorCount == 0 ? "" : " error \(counts.errorCount)×"
      tags.append(
        Tag(
          // The source of a rule in another language may end in a different part of the file, such as a function.
          line: rule.rule.file == nil ? rule.expression.endLine : rule.rule.line, unit: Int.max,
          text: "<em class=\"\(rule.expression.mark)\">\(said)\(errors)</em>"))
    }
  }

  // The recursion is as deep as the rule's expression, whose depth is limited.
  private static func collect(_ expression: CoveredExpression, _ marks: inout [[Place]: Mark]) {
    let start = Place(line: expression.line, column: expression.column)
    let end = Place(line: expression.endLine, column: expression.endColumn)
    if expression.isCondition, start < end {
      let former = marks[[start, end]]?.counts ?? OutcomeCounts()
      marks[[start, end]] = Mark(start: start, end: end, counts: former + expression.counts)
    }
    for operand in expression.operands { collect(operand, &marks) }
  }

  /// Adds the tags of marks.
  ///
  /// - Parameter marks: The marks, sorted by their beginning, outer ones first.
  private mutating func add(_ marks: [Mark]) {
    var open: [Mark] = []
    func close(_ mark: Mark) -> Tag { Tag(line: mark.end.line, unit: mark.end.column - 1, text: "</span>") }
    for mark in marks {
      while let last = open.last, last.end <= mark.start { tags.append(close(open.removeLast())) }
      // A mark that partly overlaps another one cannot be shown.
      if let last = open.last, last.end < mark.end { continue }
      let counts = mark.counts
      let title =
        "true \(counts.trueCount)×, false \(counts.falseCount)×, error \(counts.errorCount)×: \(counts.seen.rawValue)"
      tags.append(
        Tag(
          line: mark.start.line, unit: mark.start.column - 1,
          text: "<span class=\"\(counts.mark)\" title=\"\(CoverageReport.escaped(title))\">"))
      open.append(mark)
    }
    while let last = open.popLast() { tags.append(close(last)) }
  }

  /// The text with line numbers.
  var html: String {
    let numbers = (1...max(1, lines.count)).map(String.init).joined(separator: "\n")
    return """
      <div class="source"><pre class="numbers">\(numbers)</pre><pre>\(marked)</pre></div>

      """
  }

  /// The text with its tags, which were added in the order of the text, except those at a line's end.
  private var marked: String {
    let byLine = Dictionary(grouping: tags, by: \.line)
    return lines.enumerated().map { index, line in
      let units = Array(line.utf16)
      var (text, at) = ("", 0)
      let tags = byLine[index + 1] ?? []
      for tag in tags.filter({ $0.unit < Int.max }) + tags.filter({ $0.unit == Int.max }) {
        // A rule's count stands behind the line, even when text follows the rule there.
        let unit = max(at, min(tag.unit, units.count))
        text += CoverageReport.escaped(String(decoding: units[at..<unit], as: UTF16.self)) + tag.text
        at = unit
      }
      return text + CoverageReport.escaped(String(decoding: units[at...], as: UTF16.self))
    }.joined(separator: "\n")
  }
}
