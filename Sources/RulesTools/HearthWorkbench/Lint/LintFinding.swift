import HearthRules
import HearthTree

/// A probable mistake, with its position.
package struct LintFinding: Sendable {
  /// The kind of the finding.
  package var code: LintCode
  /// The rules file, or for a query the test file, as the user named it.
  package var file: String
  /// The guarded place as the rules name it, or for a query its path; nil when it is not about one place.
  package var path: String?
  /// The kind of the rule; nil when it is not about one rule.
  package var kind: RuleKind?
  /// The position, the fault and the remedy.
  package var diagnostic: RulesError.Diagnostic

  /// The finding for a reader: position, code, the line, a caret and help.
  package var rendered: String {
    var named = diagnostic
    named.message += " [\(code.rawValue)]"
    return named.rendered(file: file, as: code.severity.rawValue)
  }

  /// A text of the rules file in a message, with control characters shown as question marks.
  static func printable(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    if isPlain { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : $0 }))
  }

  /// The finding for programs.
  package var json: JSON {
    [
      "code": .string(code.rawValue), "severity": .string(code.severity.rawValue),
      "path": path.map { .string($0) } ?? .null, "kind": kind.map { .string($0.rawValue) } ?? .null,
      "file": .string(file), "line": .int(Int64(diagnostic.line)), "column": .int(Int64(diagnostic.column)),
      "message": .string(diagnostic.message), "help": diagnostic.help.map { .string($0) } ?? .null,
    ]
  }
}
