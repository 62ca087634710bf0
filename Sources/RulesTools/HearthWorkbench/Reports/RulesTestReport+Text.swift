import HearthTree

extension RulesTestReport {
  /// The report as a line for each file, the failures, and a closing line.
  func text(_ paint: Paint) -> String {
    var lines: [String] = []
    for problem in problems { lines.append(Self.safe(problem.rendered)) }
    for file in files {
      lines.append(Self.line(of: file, paint))
      for result in file.results {
        guard let failure = FailureText(result, in: file) else { continue }
        lines += Self.lines(of: failure, result, file, paint)
      }
    }
    if showsCoverage, let coverage { lines.append(coverage.text(paint)) } else if !lines.isEmpty { lines.append("") }
    return lines.joined(separator: "\n") + "\n" + closingLine(paint) + "\n"
  }

  /// The closing line, such as `214 passed, coverage 97 % of conditions, 12 ms`.
  func closingLine(_ paint: Paint) -> String {
    var parts: [String] = []
    if failedCount > 0 { parts.append(paint.bad("\(failedCount) failed")) }
    if !problems.isEmpty {
      parts.append(paint.bad(problems.count == 1 ? "1 broken file" : "\(problems.count) broken files"))
    }
    parts.append(failedCount == 0 && problems.isEmpty ? paint.good("\(passedCount) passed") : "\(passedCount) passed")
    if let tally = coverage?.tally {
      let share = "coverage \(tally.percent) % of conditions"
      parts.append(isCovered ? share : paint.bad("\(share), less than \(coveragePercentMin) %"))
    }
    parts.append("\(Int(elapsedMilliseconds.rounded(.up))) ms")
    return parts.joined(separator: ", ")
  }

  private static func line(of file: File, _ paint: Paint) -> String {
    let name = file.test.document.file.printable
    let count = file.results.count == 1 ? "1 case" : "\(file.results.count) cases"
    guard file.failedCount > 0 else { return "\(paint.good("✓")) \(name)  \(paint.faint(count))" }
    return "\(paint.bad("✗")) \(name)  \(paint.faint(count + ", \(file.failedCount) failed"))"
  }

  private static func lines(
    of failure: FailureText, _ result: RulesTestResult, _ file: File, _ paint: Paint
  ) -> [String] {
    let place = "\(file.test.document.file):\(failure.place.line):\(failure.place.column)"
    var lines = ["", "  \(paint.bad("✗")) \(paint.strong(result.testCase.name.printable))"]
    lines.append("    \(paint.faint(place.printable))  \(failure.request.printable)")
    lines.append("    \(failure.summary.printable)")
    // Made for terminals already: it has colours, and nothing else that moves a cursor.
    lines += failure.trace(isColored: paint.isColored).map { $0.isEmpty ? "" : "    " + $0 }
    return lines
  }

  /// Several lines without control characters. Tabs stay, so that carets stand where they should.
  static func safe(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
