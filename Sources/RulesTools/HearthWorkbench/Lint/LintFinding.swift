import HearthRules
import HearthTree

/// A probable mistake, with its position.
package struct LintFinding: Sendable {
  /// The kind of the finding.
  package var code: LintCode
  /// The path, as the user passed it, of the rules file or, for a query, of the test file.
  package var file: String
  /// The rule's path as written in the rules or, for a query, its path; nil when the finding is not about one path.
  package var path: String?
  /// The kind of the rule; nil when the finding is not about one rule.
  package var kind: RuleKind?
  /// The position, the message and how to fix the finding.
  package var diagnostic: RulesError.Diagnostic

  /// The finding as text: position, code, the line, a caret and help.
  package var rendered: String {
    var named = diagnostic
    named.message += " [\(code.rawValue)]"
    return named.rendered(file: file, as: code.severity.rawValue)
  }

  /// Returns a text of the rules file for a message, with control characters replaced by question marks.
  static func printable(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    if isPlain { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }))
  }

  /// The finding as JSON.
  package var json: JSON {
    [
      "code": .string(code.rawValue), "severity": .string(code.severity.rawValue),
      "path": path.map { .string($0) } ?? .null, "kind": kind.map { .string($0.rawValue) } ?? .null,
      "file": .string(file), "line": .int(Int64(diagnostic.line)), "column": .int(Int64(diagnostic.column)),
      "message": .string(diagnostic.message), "help": diagnostic.help.map { .string($0) } ?? .null,
    ]
  }
}
