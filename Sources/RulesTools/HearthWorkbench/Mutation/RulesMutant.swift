import HearthRules

/// A rule of a file, broken in one way.
package struct RulesMutant: Sendable {
  /// The original rule.
  package var rule: Rule
  /// The operator that changed it.
  package var operation: MutationOperator
  /// The bytes of the rule's text that were changed.
  package var range: Range<Int>
  /// The text that replaces them.
  package var replacement: String
  /// The place of the broken rule: that of the original, or the one above it.
  package var place: [String]

  /// The text of the broken rule.
  package var expression: String {
    var bytes = Array(rule.text.utf8)
    bytes.replaceSubrange(range.clamped(to: 0..<bytes.count), with: replacement.utf8)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The original text of the changed bytes.
  package var original: String {
    String(decoding: Array(rule.text.utf8)[range.clamped(to: 0..<rule.text.utf8.count)], as: UTF8.self)
  }

  /// The rules with the mutant; nil when they do not compile, so that they could not be deployed.
  package func applied(to rules: RuleSet) -> RuleSet? {
    try? rules.replacing(rule.kind, at: place, with: expression)
  }
}
