import HearthRules

/// A mutant: a rule of a file with one change that makes it wrong.
package struct RulesMutant: Sendable {
  /// The original rule.
  package var rule: Rule
  /// The operator that changed it.
  package var operation: MutationOperator
  /// The changed bytes of the rule's text.
  package var range: Range<Int>
  /// The text that replaces the changed bytes.
  package var replacement: String
  /// The place of the changed rule: that of the original rule, or its parent.
  package var place: [String]

  /// The text of the changed rule.
  package var expression: String {
    var bytes = Array(rule.text.utf8)
    bytes.replaceSubrange(range.clamped(to: 0..<bytes.count), with: replacement.utf8)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The original text of the changed bytes.
  package var original: String {
    String(decoding: Array(rule.text.utf8)[range.clamped(to: 0..<rule.text.utf8.count)], as: UTF8.self)
  }

  /// Returns the rules with the mutant; nil when they do not compile and so could not be deployed.
  package func applied(to rules: RuleSet) -> RuleSet? {
    try? rules.replacing(rule.kind, at: place, with: expression)
  }
}
