import HearthTree

/// The explanation of the rules' decision on a request, as text or as JSON.
public struct Explanation: Sendable {
  /// The operation: `read`, `write`, `update`, or another word for it.
  public var operation: String
  /// The path.
  public var path: Path
  /// The decision. The explanation is most detailed when it was made with ``DecisionDetail/trace``.
  public var decision: Decision

  /// Creates an explanation of a decision.
  public init(operation: String, path: Path, decision: Decision) {
    self.operation = operation
    self.path = path
    self.decision = decision
  }

  /// The name of the file to which positions refer, when the name of the rules file is not known: that of the original
  /// file for generated rules, otherwise `rules`.
  package var file: String { (decision.rule ?? decision.visited.first?.rule)?.file ?? "rules" }

  /// The evaluation of the deciding rule; nil when no rule decided, or without a trace.
  public var decidingVisit: RuleVisit? {
    decision.visited.last { $0.rule == decision.rule && $0.path == decision.path }
  }

  /// A sentence with the request, the result and the reason.
  public var summary: String {
    let asked = "\(operation) \(PlainExplanation.of(path.description)) is \(decision.isAllowed ? "allowed" : "denied")"
    guard let rule = decision.rule else { return "\(asked): no rule applies to this path" }
    let place = "\(rule.kind.word) at \(PlainExplanation.of(rule.pathTemplate)) (\(PlainExplanation.of(rule.place)))"
    if let error = decision.error { return "\(asked): \(place) failed: \(error.message)" }
    switch decision.outcome {
    case .granted: return "\(asked) by \(place)"
    case .invalid: return "\(asked): \(place) is false"
    case .noGrant, .noRule: return "\(asked): no \(rule.kind.word) along the path is true; the last one is \(place)"
    }
  }
}

extension RuleKind {
  /// The name in the rules file.
  var word: String { "." + rawValue }
}

/// The conversion of text from untrusted sources for a terminal or a log: the result contains no line breaks and no
/// control sequences.
package enum PlainExplanation {
  /// Returns the text, with `?` for all invisible characters.
  package static func of(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { plain.append(isPlain(scalar) ? scalar : "?") }
    return String(plain)
  }

  /// Returns true for a scalar that is shown as itself and has no other effect.
  package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
