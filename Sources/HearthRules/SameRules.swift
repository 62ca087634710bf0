/// Which rules of two files are the same: one text at one place. Such rules answer every request the same.
package enum SameRules {
  /// Whether two rules are; nil stands for a place without such a rule.
  package static func areSame(_ a: Rule?, _ b: Rule?) -> Bool { a?.text == b?.text && a?.place == b?.place }

  /// Whether all validate rules at and below two places are the same. Recursion as deep as the files, which are bounded.
  package static func validateSame(_ a: RuleNode?, _ b: RuleNode?) -> Bool {
    guard a?.hasValidation == true || b?.hasValidation == true else { return true }
    guard let a, let b, areSame(a.validate, b.validate), a.children.list.count == b.children.list.count else {
      return false
    }
    return a.children.list.allSatisfy { validateSame($0.node, b.children[$0.key]) }
      && validateSame(a.wildcard, b.wildcard)
  }
}
