extension RulesError {
  /// Returns the problems as text: each with its position, the line of the file, a caret under the position, and help.
  ///
  /// ```
  /// rules.json:3:15: error: Unknown variable 'tr'.
  ///     ".read": "tr"
  ///               ^
  /// help: The variables are auth, now, root, data, newData, query and the wildcards of the path.
  /// ```
  public func rendered(file: String) -> String {
    diagnostics.map { $0.rendered(file: file, as: "error") }.joined(separator: "\n")
  }
}

extension RuleSet {
  /// Returns the ``warnings`` in the form of ``RulesError/rendered(file:)``; empty when there are none.
  public func renderedWarnings(file: String) -> String {
    warnings.map { $0.rendered(file: file, as: "warning") }.joined(separator: "\n")
  }
}

extension RulesError.Diagnostic {
  /// Returns the problem in the form of ``RulesError/rendered(file:)``.
  ///
  /// - Parameter kind: `error` or `warning`.
  package func rendered(file: String, as kind: String) -> String {
    var text = "\(file):\(line):\(column): \(kind): \(message)\n"
    if !sourceLine.isEmpty { text += excerpt }
    if let help { text += "help: \(help)\n" }
    return text
  }

  /// The line, and a caret under the position.
  private var excerpt: String {
    let before = sourceLine.utf16.prefix(max(0, column - 1))
    // Tabs are kept, so that the caret is below its character with any tab width.
    let padding = String(decoding: before, as: UTF16.self).map { $0 == "\t" ? "\t" : " " }.joined()
    return "\(sourceLine)\n\(padding)^\n"
  }
}
