import HearthTree

extension RulesTestReport {
  /// The report as GitHub workflow commands for annotations of the files' lines, followed by the closing line.
  var github: String {
    var lines = problems.map(\.gitHubAnnotation.command)
    for file in files {
      for result in file.results {
        guard let failure = FailureText(result, in: file) else { continue }
        let message = [failure.request, failure.summary] + failure.trace()
        lines.append(
          GitHubAnnotation(
            file: file.test.document.file, line: failure.place.line, column: failure.place.column,
            title: result.testCase.name, message: message.joined(separator: "\n")
          ).command)
      }
    }
    lines.append(closingLine(TerminalStyle(isColored: false)))
    return lines.joined(separator: "\n") + "\n"
  }
}
