import HearthRules

/// A generator of all mutants of a rules file, with every ``MutationOperator``.
struct MutantGenerator {
  private(set) var mutants: [RulesMutant] = []
  /// The number of mutants that were omitted because compiling them would cost too much.
  private(set) var skippedCount = 0
  private var allowance: Allowance

  private init(bytesMax: Int) { allowance = Allowance(bytesLeft: bytesMax) }

  /// Returns all mutants of a file, in the order of the file. The rules must have been compiled with
  /// `keepsExpressions`.
  ///
  /// - Parameter bytesMax: The maximum total size in UTF-8 bytes of the mutants' rules.
  static func mutants(of rules: RuleSet, bytesMax: Int = WorkbenchLimits.mutantBytesMax) -> MutantGenerator {
    var generator = MutantGenerator(bytesMax: bytesMax)
    generator.visit(rules.root, parents: [])
    return generator
  }

  /// The remaining total size of mutants' rules in bytes.
  struct Allowance {
    private var bytesLeft: Int

    init(bytesLeft: Int) { self.bytesLeft = bytesLeft }

    /// Subtracts the size of a rule for one mutant; returns false when it exceeds the remaining size.
    mutating func takes(_ rule: Rule) -> Bool {
      guard rule.text.utf8.count <= bytesLeft else { return false }
      bytesLeft -= rule.text.utf8.count
      return true
    }
  }

  private mutating func visit(_ node: RuleNode, parents: [RuleNode]) {
    for rule in [node.read, node.write, node.validate] {
      guard let rule, let expression = rule.expression else { continue }
      wholeRule(rule, expression)
      let mutator = MutantGenerator.ExpressionMutator(rule: rule, allowance)
      mutator.visit(expression)
      mutants += mutator.mutants
      skippedCount += mutator.skippedCount
      allowance = mutator.allowance
      if let parent = parents.last { moveUp(rule, to: parent) }
    }
    for child in node.children.list { visit(child.node, parents: parents + [node]) }
    if let wildcard = node.wildcard { visit(wildcard, parents: parents + [node]) }
  }

  private mutating func wholeRule(_ rule: Rule, _ expression: TypedExpression) {
    let whole = 0..<rule.text.utf8.count
    let constant: Bool? = if case .constant(.bool(let value)) = expression.form { value } else { nil }
    if constant != true { add(rule, .ruleTrue, whole, "true") }
    // A rule that is never true only denies more. Every test that expects a request to be allowed detects it, for
    // `.validate` as for the other kinds.
    if constant != false { add(rule, .ruleFalse, whole, "false") }
  }

  /// Adds a mutant for the mistake of placing a rule at a list instead of its elements. Skipped when the list already
  /// has such a rule.
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
    guard allowance.takes(rule) else {
      skippedCount += 1
      return
    }
    mutants.append(
      RulesMutant(rule: rule, operation: operation, range: range, replacement: text, place: place ?? rule.place))
  }
}
