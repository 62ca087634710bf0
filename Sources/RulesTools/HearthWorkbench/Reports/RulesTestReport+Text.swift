import HearthTree

extension RulesTestReport {
  /// Returns the report as a line for each file, the failures, and a closing line.
  func text(_ style: TerminalStyle) -> String {
    var lines: [String] = []
    for problem in problems { lines.append(Self.safe(problem.rendered)) }
    for file in files {
      lines.append(Self.line(of: file, style))
      for result in file.results {
        guard let failure = FailureText(result, in: file) else { continue }
        lines += Self.lines(of: failure, result, file, style)
      }
    }
    if showsCoverage, let coverage { lines.append(coverage.text(style)) } else if !lines.isEmpty { lines.append("") }
    return lines.joined(separator: "\n") + "\n" + closingLine(style) + "\n"
  }

  /// The closing line, such as `214 passed, coverage 97 % of conditions, 12 ms`.
  func closingLine(_ style: TerminalStyle) -> String {
    var parts: [String] = []
    if failedCount > 0 { parts.append(style.bad("\(failedCount) failed")) }
    if !problems.isEmpty {
      parts.append(style.bad(problems.count == 1 ? "1 invalid file" : "\(problems.count) invalid files"))
    }
    parts.append(failedCount == 0 && problems.isEmpty ? style.good("\(passedCount) passed") : "\(passedCount) passed")
    if let tally = coverage?.tally {
      let share = "coverage \(tally.percent) % of conditions"
      parts.append(isCovered ? share : style.bad("\(share), less than \(coveragePercentMin) %"))
    }
    parts.append("\(Int(elapsedMilliseconds.rounded(.up))) ms")
    return parts.joined(separator: ", ")
  }

  private static func line(of file: File, _ style: TerminalStyle) -> String {
    let name = file.test.document.file.printable
    let count = file.results.count == 1 ? "1 case" : "\(file.results.count) cases"
    guard file.failedCount > 0 else { return "\(style.good("✓")) \(name)  \(style.faint(count))" }
    return "\(style.bad("✗")) \(name)  \(style.faint(count + ", \(file.failedCount) failed"))"
  }

  private static func lines(
    of failure: FailureText, _ result: RulesTestResult, _ file: File, _ style: TerminalStyle
  ) -> [String] {
    let place = "\(file.test.document.file):\(failure.place.line):\(failure.place.column)"
    var lines = ["", "  \(style.bad("✗")) \(style.strong(result.testCase.name.printable))"]
    lines.append("    \(style.faint(place.printable))  \(failure.request.printable)")
    lines.append("    \(failure.summary.printable)")
    // The text is already formatted for terminals: its only control characters are those of colours.
    lines += failure.trace(isColored: style.isColored).map { $0.isEmpty ? "" : "    " + $0 }
    return lines
  }

  /// Returns several lines without control characters. Tabs are kept, so that carets are in the right columns.
  static func safe(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
