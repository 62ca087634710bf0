/// A GitHub workflow command for an annotation of a line of a file.
struct GitHubAnnotation {
  /// The level of the annotation.
  enum Level: String {
    case error
    case warning
    case notice
  }

  var level = Level.error
  var file: String
  var line: Int
  var column: Int
  var title: String
  var message: String

  /// The text of the command, on one line.
  var command: String {
    let place = "file=\(Self.property(file)),line=\(line),col=\(column),title=\(Self.property(title))"
    return "::\(level.rawValue) \(place)::\(Self.data(message))"
  }

  /// Returns the text with line breaks escaped, which could otherwise begin another command.
  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}

extension RulesTestReport.Problem {
  /// The problem as an annotation of its line.
  var gitHubAnnotation: GitHubAnnotation {
    GitHubAnnotation(
      file: file, line: diagnostic?.line ?? 1, column: diagnostic?.column ?? 1, title: "invalid file",
      message: [message, diagnostic?.help].compactMap(\.self).joined(separator: "\n"))
  }
}
