import HearthConsole
import HearthRules
import HearthTransport
import HearthTree
import HearthWorkbench
import NIOCore

/// `POST api/rules/check` of `{"source": TEXT}`: the errors of a rules file, and its probable mistakes.
///
/// The answer is `{"problems": [{"line", "column", "severity": "error" | "warning" | "info", "code", "message",
/// "help"}]}`, lines and columns from 1. No state is changed.
enum RulesFileCheck {
  /// The maximum number of problems: more than a page shows.
  static let problemsMax = 200

  static func answer(_ text: String) -> JSON {
    var problems: [JSON] = []
    do throws(RulesError) {
      let rules = try RuleSet.compile(text, keepsExpressions: true)
      problems = Lint.findings(in: rules, file: "rules").map { finding in
        problem(finding.diagnostic, finding.code.severity.rawValue, code: finding.code.rawValue)
      }
    } catch {
      problems = error.diagnostics.map { problem($0, "error", code: nil) }
    }
    return ["problems": .array(Array(problems.prefix(problemsMax)))]
  }

  private static func problem(_ diagnostic: RulesError.Diagnostic, _ severity: String, code: String?) -> JSON {
    [
      "line": .int(Int64(diagnostic.line)), "column": .int(Int64(diagnostic.column)), "severity": .string(severity),
      "code": code.map { .string($0) } ?? .null, "message": .string(diagnostic.message),
      "help": diagnostic.help.map { .string($0) } ?? .null,
    ]
  }
}
