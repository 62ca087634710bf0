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
    case .dropConjunct: "one side of && is gone"
    case .dropDisjunct: "one side of || is gone"
    case .andOr: "&& and || are exchanged"
    case .flipEquality: "== and != are exchanged"
    case .dropNot: "! is gone"
    case .swapBranches: "the branches of ?: are exchanged"
    case .dataNewData: "data and newData are exchanged"
    case .dataRoot: "data and root are exchanged"
    case .boundary: "the bound itself is on the other side"
    case .turnComparison: "the comparison is the other way about"
    case .number: "a number is one more or one less"
    case .text: "a text is another one"
    case .truth: "true and false are exchanged"
    case .weakenType: "any type will do"
    case .dropChild: "a child need not be there"
    case .dropAnchor: "the pattern may begin or end anywhere"
    case .wildcard: "another wildcard of the path"
    case .moveUp: "the rule stands one level higher"
    }
  }
}
