import HearthTree

/// The result of checking a rules file.
package struct LintReport: Sendable {
  /// The findings.
  package var findings: [LintFinding]
  /// Files that could not be read.
  package var problems: [RulesTestReport.Problem]

  /// Creates a report.
  package init(findings: [LintFinding] = [], problems: [RulesTestReport.Problem] = []) {
    self.findings = findings
    self.problems = problems
  }

  /// The forms that a report can have.
  package enum Format: String, Sendable, CaseIterable {
    /// Text for a terminal.
    case text
    /// One JSON object.
    case json
    /// GitHub workflow commands, for annotations of the lines.
    case github
    /// A log for code scanning.
    case sarif
  }

  /// The number of findings that are warnings.
  package var warningCount: Int { findings.count { $0.code.severity == .warning } }

  /// Returns the report, with a line break at its end.
  package func rendered(as format: Format, style: TerminalStyle) -> String {
    switch format {
    case .text: text(style)
    case .json: String(decoding: json.text(), as: UTF8.self) + "\n"
    case .github: github
    case .sarif: String(decoding: sarif.text(), as: UTF8.self) + "\n"
    }
  }

  private func text(_ style: TerminalStyle) -> String {
    let parts = problems.map(\.rendered) + findings.map(\.rendered) + [closingLine(style)]
    return parts.joined(separator: "\n")
  }

  private func closingLine(_ style: TerminalStyle) -> String {
    if !problems.isEmpty { return style.bad("\(problems.count) invalid") + "\n" }
    if findings.isEmpty { return style.good("nothing found") + "\n" }
    let infos = findings.count - warningCount
    let warnings = "\(warningCount) \(warningCount == 1 ? "warning" : "warnings")"
    return (warningCount > 0 ? style.warning(warnings) : warnings) + ", \(infos) \(infos == 1 ? "info" : "infos")\n"
  }

  private var json: JSON {
    var json: JSON = ["findings": .array(findings.map(\.json))]
    if !problems.isEmpty { json["problems"] = .array(problems.map(\.json)) }
    return json
  }

  private var github: String {
    let broken = problems.map(\.gitHubAnnotation)
    let notes = findings.map { finding in
      GitHubAnnotation(
        level: finding.code.severity == .warning ? .warning : .notice, file: finding.file,
        line: finding.diagnostic.line, column: finding.diagnostic.column, title: finding.code.rawValue,
        message: [finding.diagnostic.message, finding.diagnostic.help].compactMap(\.self).joined(separator: "\n"))
    }
    return (broken + notes).map { $0.command + "\n" }.joined() + closingLine(TerminalStyle(isColored: false))
  }
}
