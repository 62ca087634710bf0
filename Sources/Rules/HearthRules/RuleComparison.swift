/// The comparison of the rules of two files. Rules with the same text at the same place are the same, and decide every
/// request in the same way.
package enum RuleComparison {
  /// Returns true when two rules are the same; nil stands for a missing rule.
  package static func areSame(_ a: Rule?, _ b: Rule?) -> Bool {
    a === b || a?.text == b?.text && a?.place == b?.place
  }

  /// Returns true when the rules of two nodes are the same, without those below them.
  package static func areSame(_ a: RuleNode?, _ b: RuleNode?) -> Bool {
    areSame(a?.read, b?.read) && areSame(a?.write, b?.write) && areSame(a?.validate, b?.validate)
  }

  /// Returns true when all validate rules at and below two nodes are the same. The recursion is as deep as the files,
  /// whose depth is limited.
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
