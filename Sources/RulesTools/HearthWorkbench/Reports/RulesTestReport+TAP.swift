import HearthTree

extension RulesTestReport {
  /// The report in the Test Anything Protocol, version 14: a line for each case, and failures as a block of YAML below
  /// it.
  var tap: String {
    let total = passedCount + failedCount + problems.count
    var lines = ["TAP version 14", "1..\(total)"]
    var number = 0
    for file in files {
      for result in file.results {
        number += 1
        let title = Self.tapText("\(file.test.document.file): \(result.testCase.name)")
        guard let failure = FailureText(result, in: file) else {
          lines.append("ok \(number) - \(title)")
          continue
        }
        lines.append("not ok \(number) - \(title)")
        let place = "\(file.test.document.file):\(failure.place.line):\(failure.place.column)"
        lines += Self.block(
          [("at", place), ("request", failure.request), ("message", failure.summary)], failure.trace())
      }
    }
    for problem in problems {
      number += 1
      lines.append("not ok \(number) - \(Self.tapText(problem.file))")
      lines += Self.block(
        [("message", problem.message)], problem.rendered.split(separator: "\n").map { String($0).printable })
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the text with `#`, which begins a directive, and `\` escaped.
  private static func tapText(_ text: String) -> String {
    text.printable.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }

  private static func block(_ members: [(name: String, text: String)], _ lines: [String]) -> [String] {
    var block = ["  ---"]
    for member in members { block.append("  \(member.name): \(quoted(member.text))") }
    if !lines.isEmpty { block += ["  trace:"] + lines.map { "    - \(quoted($0))" } }
    return block + ["  ..."]
  }

  /// Returns the text as a JSON string, which is also valid YAML.
  private static func quoted(_ text: String) -> String {
    String(decoding: JSON.string(text.printable).text(), as: UTF8.self)
  }
}
