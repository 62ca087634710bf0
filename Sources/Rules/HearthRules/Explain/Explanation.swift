import HearthTree

/// Why the rules answered a request the way they did, for people and for programs.
public struct Explanation: Sendable {
  /// What was asked: `read`, `write`, `update`, or another word for it.
  public var operation: String
  /// Where.
  public var path: Path
  /// What the rules answered; it tells most when it was made with ``DecisionDetail/trace``.
  public var decision: Decision

  /// An explanation of a decision.
  public init(operation: String, path: Path, decision: Decision) {
    self.operation = operation
    self.path = path
    self.decision = decision
  }

  /// The file that places are in, where the rules file itself has no name: of rules that were made of one of another
  /// language, that one, and else `rules`.
  package var file: String { (decision.rule ?? decision.visited.first?.rule)?.file ?? "rules" }

  /// Of the rules that were evaluated, the one that decided; nil when none did, or when nothing was traced.
  public var decidingVisit: RuleVisit? {
    decision.visited.last { $0.rule == decision.rule && $0.path == decision.path }
  }

  /// One sentence: what was asked, what came of it, and why.
  public var summary: String {
    let asked = "\(operation) \(PlainText.of(path.description)) is \(decision.isAllowed ? "allowed" : "denied")"
    guard let rule = decision.rule else { return "\(asked): no rule on the way there says anything about it" }
    let place = "\(rule.kind.word) at \(PlainText.of(rule.pathTemplate)) (\(PlainText.of(rule.place)))"
    if let error = decision.error { return "\(asked): \(place) could not be evaluated, \(error.message)" }
    switch decision.outcome {
    case .granted: return "\(asked) by \(place)"
    case .invalid: return "\(asked): \(place) is false"
    case .noGrant, .noRule: return "\(asked): no \(rule.kind.word) on the way there is true; the last is \(place)"
    }
  }
}

extension RuleKind {
  /// As the rules file names it.
  var word: String { "." + rawValue }
}

/// Text that others chose, for a terminal or a log: nothing in it breaks a line or speaks to the terminal.
package enum PlainText {
  /// The same text, with `?` for all that cannot be seen.
  package static func of(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { plain.append(isPlain(scalar) ? scalar : "?") }
    return String(plain)
  }

  /// Returns true when a scalar shows as itself and does nothing else.
  package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
