import HearthRules

/// Breaks the rules of a file in every way that ``MutationOperator`` knows.
struct MutantMaker {
  private(set) var mutants: [RulesMutant] = []

  /// All mutants of a file, in its order. The rules must have been compiled with their expressions.
  static func mutants(of rules: RuleSet) -> [RulesMutant] {
    var maker = MutantMaker()
    maker.visit(rules.root, parents: [])
    return maker.mutants
  }

  private mutating func visit(_ node: RuleNode, parents: [RuleNode]) {
    for rule in [node.read, node.write, node.validate] {
      guard let rule, let expression = rule.expression else { continue }
      wholeRule(rule, expression)
      var inside = MutantMaker.Inside(rule: rule)
      inside.visit(expression)
      mutants += inside.mutants
      if let parent = parents.last { moveUp(rule, to: parent) }
    }
    for child in node.children.list { visit(child.node, parents: parents + [node]) }
    if let wildcard = node.wildcard { visit(wildcard, parents: parents + [node]) }
  }

  private mutating func wholeRule(_ rule: Rule, _ expression: TypedExpression) {
    let whole = 0..<rule.text.utf8.count
    let constant: Bool? = if case .constant(.bool(let value)) = expression.form { value } else { nil }
    if constant != true { add(rule, .ruleTrue, whole, "true") }
    // A .validate that is never true only forbids more, like the other two; a test that allows something notices.
    if constant != false { add(rule, .ruleFalse, whole, "false") }
  }

  /// The mistake of guarding the list in the place of its elements. Where a rule stands already, it would be another mistake.
  private mutating func moveUp(_ rule: Rule, to parent: RuleNode) {
    let taken =
      switch rule.kind {
      case .read: parent.read != nil
      case .write: parent.write != nil
      case .validate: parent.validate != nil
      }
    guard !taken, rule.text != "false" || rule.kind == .validate else { return }
    add(rule, .moveUp, 0..<0, "", at: Array(rule.place.dropLast()))
  }

  private mutating func add(
    _ rule: Rule, _ operation: MutationOperator, _ range: Range<Int>, _ text: String, at place: [String]? = nil
  ) {
    mutants.append(
      RulesMutant(rule: rule, operation: operation, range: range, replacement: text, place: place ?? rule.place))
  }
}
