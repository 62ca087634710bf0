/// Compares the rules of two files: those with one text at one place are the same. They answer every request the same.
package enum RuleComparison {
  /// Returns true when two rules are the same; nil stands for a place without such a rule.
  package static func areSame(_ a: Rule?, _ b: Rule?) -> Bool {
    a === b || a?.text == b?.text && a?.place == b?.place
  }

  /// Returns true when the rules of two places themselves are the same.
  package static func areSame(_ a: RuleNode?, _ b: RuleNode?) -> Bool {
    areSame(a?.read, b?.read) && areSame(a?.write, b?.write) && areSame(a?.validate, b?.validate)
  }

  /// Returns true when all validate rules at and below two places are the same. Recursion as deep as the files, which
  /// are bounded.
  package static func validateSame(_ a: RuleNode?, _ b: RuleNode?) -> Bool {
    if a === b { return true }
    guard a?.hasValidation == true || b?.hasValidation == true else { return true }
    guard let a, let b, areSame(a.validate, b.validate), a.children.list.count == b.children.list.count else {
      return false
    }
    if a.children.sharesNames(with: b.children) {
      return zip(a.children.list, b.children.list).allSatisfy { validateSame($0.node, $1.node) }
        && validateSame(a.wildcard, b.wildcard)
    }
    return a.children.list.allSatisfy { validateSame($0.node, b.children[$0.key]) }
      && validateSame(a.wildcard, b.wildcard)
  }
}
