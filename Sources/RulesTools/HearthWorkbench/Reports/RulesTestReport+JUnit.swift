import HearthTree

extension RulesTestReport {
  /// The report as XML in the format of JUnit's Ant task, which build servers read.
  var junit: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let total = passedCount + failedCount
    text +=
      "<testsuites name=\"rules\" tests=\"\(total)\" failures=\"\(failedCount)\" errors=\"\(problems.count)\" time=\"\(seconds)\">\n"
    for file in files {
      let name = Self.xml(file.test.document.file)
      text +=
        "  <testsuite name=\"\(name)\" tests=\"\(file.results.count)\" failures=\"\(file.failedCount)\" errors=\"0\">\n"
      for result in file.results { text += Self.testcase(result, file, name) }
      text += "  </testsuite>\n"
    }
    for problem in problems {
      let name = Self.xml(problem.file)
      text += """
          <testsuite name="\(name)" tests="1" failures="0" errors="1">
            <testcase name="the file can be read" classname="\(name)">
              <error message="\(Self.xml(problem.message))">\(Self.xml(problem.rendered))</error>
            </testcase>
          </testsuite>

        """
    }
    return text + "</testsuites>\n"
  }

  private var seconds: String {
    let milliseconds = Int(max(0, elapsedMilliseconds).rounded(.up))
    return "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
  }

  private static func testcase(_ result: RulesTestResult, _ file: File, _ suite: String) -> String {
    let open = "    <testcase name=\"\(xml(result.testCase.name))\" classname=\"\(suite)\""
    guard let failure = FailureText(result, in: file) else { return open + "/>\n" }
    let place = "\(file.test.document.file):\(failure.place.line):\(failure.place.column)"
    let detail = ["\(place): \(failure.request)", failure.summary] + failure.trace()
    return """
      \(open) file="\(suite)" line="\(failure.place.line)">
            <failure message="\(xml(failure.summary))">\(xml(detail.joined(separator: "\n")))</failure>
          </testcase>

      """
  }

  /// Text for an element or a quoted attribute. Characters that XML cannot hold become U+FFFD.
  static func xml(_ text: String) -> String {
    HTMLText.escaped(text) { scalar in
      switch scalar {
      case "\n": "&#10;"
      case "\t": "&#9;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: nil
      }
    }
  }
}
