import HearthTree

extension RulesTestReport {
  /// GitHub's workflow commands, which become notes beside the lines of the files; then the closing line.
  var github: String {
    var lines: [String] = []
    for problem in problems {
      let message = [problem.message, problem.diagnostic?.help].compactMap(\.self).joined(separator: "\n")
      lines.append(
        Self.command(
          file: problem.file, line: problem.diagnostic?.line ?? 1, column: problem.diagnostic?.column ?? 1,
          title: "broken file", message))
    }
    for file in files {
      for result in file.results {
        guard let failure = FailureText(result, in: file) else { continue }
        let message = [failure.request, failure.summary] + failure.trace()
        lines.append(
          Self.command(
            file: file.test.document.file, line: failure.place.line, column: failure.place.column,
            title: result.testCase.name, message.joined(separator: "\n")))
      }
    }
    lines.append(closingLine(Paint(isColored: false)))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func command(file: String, line: Int, column: Int, title: String, _ message: String) -> String {
    "::error file=\(property(file)),line=\(line),col=\(column),title=\(property(title))::\(data(message))"
  }

  /// A line break would begin another command.
  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
