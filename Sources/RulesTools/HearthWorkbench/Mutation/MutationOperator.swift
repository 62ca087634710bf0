/// An operator that breaks a rule with a typical mistake.
///
/// The raw values are stable, because scripts and reports contain them.
package enum MutationOperator: String, Sendable, CaseIterable {
  case ruleTrue = "rule-true"
  case ruleFalse = "rule-false"
  case dropConjunct = "drop-conjunct"
  case dropDisjunct = "drop-disjunct"
  case andOr = "and-or"
  case flipEquality = "flip-equality"
  case dropNot = "drop-not"
  case swapBranches = "swap-branches"
  case dataNewData = "data-new-data"
  case dataRoot = "data-root"
  case boundary = "boundary"
  case turnComparison = "turn-comparison"
  case number = "number"
  case text = "text"
  case truth = "truth"
  case weakenType = "weaken-type"
  case dropChild = "drop-child"
  case dropAnchor = "drop-anchor"
  case wildcard = "wildcard"
  case moveUp = "move-up"

  /// A description of the change.
  package var explanation: String {
    switch self {
    case .ruleTrue: "the rule is always true"
    case .ruleFalse: "the rule is always false"
    case .dropConjunct: "one side of && is removed"
    case .dropDisjunct: "one side of || is removed"
    case .andOr: "&& and || are exchanged"
    case .flipEquality: "== and != are exchanged"
    case .dropNot: "! is removed"
    case .swapBranches: "the branches of ?: are exchanged"
    case .dataNewData: "data and newData are exchanged"
    case .dataRoot: "data and root are exchanged"
    case .boundary: "the bound is included or excluded"
    case .turnComparison: "the comparison is reversed"
    case .number: "a number is one higher or lower"
    case .text: "a string is different"
    case .truth: "true and false are exchanged"
    case .weakenType: "any type is accepted"
    case .dropChild: "a child is no longer required"
    case .dropAnchor: "the pattern loses ^ or $"
    case .wildcard: "another wildcard of the path is used"
    case .moveUp: "the rule is one level higher"
    }
  }
}
