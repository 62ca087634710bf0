import HearthRules

/// One rule of a file, broken in one way.
package struct RulesMutant: Sendable {
  /// The rule as it is.
  package var rule: Rule
  /// What was done to it.
  package var operation: MutationOperator
  /// Which bytes of the rule's text were changed.
  package var range: Range<Int>
  /// What stands there instead.
  package var replacement: String
  /// The place of the broken rule: that of the rule, or the one above it.
  package var place: [String]

  /// The text of the broken rule.
  package var expression: String {
    var bytes = Array(rule.text.utf8)
    bytes.replaceSubrange(range.clamped(to: 0..<bytes.count), with: replacement.utf8)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What stands there now.
  package var original: String {
    String(decoding: Array(rule.text.utf8)[range.clamped(to: 0..<rule.text.utf8.count)], as: UTF8.self)
  }

  /// The rules with it; nil when they are no rules any more, so that nobody could deploy them.
  package func applied(to rules: RuleSet) -> RuleSet? {
    try? rules.replacing(rule.kind, at: place, with: expression)
  }
}
