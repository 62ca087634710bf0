import HearthTree

/// An evaluation of the `.validate` rules of one file on stored data, as if a signed-out client wrote all of it again.
/// Rules that are the same in the active file are not evaluated.
///
/// It proceeds in steps, in key order and from the root down, on one version of the tree.
package struct StoredDataValidator: ~Copyable {
  /// A location whose data fails a rule.
  package struct Failure: Sendable {
    /// The rule.
    package var rule: RuleReference
    /// The location.
    package var path: Path
    /// True when the rule read `auth`.
    package var usesAuth: Bool
    /// True when the rule read `now`.
    package var usesClock: Bool
    /// True when the location also fails the active rules.
    package var isFailingAlready: Bool
  }

  /// An ancestor of the current location, with its remaining children.
  private struct Level {
    let staged: RuleNode
    let current: RuleNode?
    let node: Node
    /// The remaining children; nil when only children that the rules name are visited.
    var children: NodeChildren.Iterator?
    var namedIndex = 0
    var doneCount = 0
    let count: Int

    init(_ staged: RuleNode, _ current: RuleNode?, _ node: Node) {
      (self.staged, self.current, self.node) = (staged, current, node)
      let isEvery = staged.wildcard?.hasValidation == true
      children = isEvery ? node.children.makeIterator() : nil
      count = max(1, isEvery ? node.childCount : staged.children.list.count)
    }

    mutating func next() -> (key: Key, node: Node, staged: RuleNode)? {
      while true {
        let (key, child): (Key, Node)
        if children != nil {
          guard let next = children?.next() else { return nil }
          (key, child) = next
        } else {
          guard namedIndex < staged.children.list.count else { return nil }
          key = staged.children.list[namedIndex].key
          namedIndex += 1
          child = node.child(key)
        }
        doneCount += 1
        if let place = staged.child(key), place.hasValidation, !child.isEmpty { return (key, child, place) }
      }
    }
  }

  private struct Pair: Hashable {
    let staged: ObjectIdentifier
    let current: ObjectIdentifier?
  }

  /// The number of locations whose rules were evaluated.
  package private(set) var checkedCount = 0
  private let root: Node
  private let nowMilliseconds: Int64
  /// The keys of the current location.
  private var keys: [Key] = []
  private var levels: [Level] = []
  /// The rules of the root; nil after the root was visited.
  private var start: (staged: RuleNode, current: RuleNode?)?
  private var isSame: [Pair: Bool] = [:]

  /// Creates an evaluation.
  ///
  /// - Parameters:
  /// - root: The whole database.
  /// - current: The active rules.
  package init(of root: Node, staged: RuleSet, current: RuleSet, nowMilliseconds: Int64) {
    self.root = root
    self.nowMilliseconds = nowMilliseconds
    if !root.isEmpty { start = (staged.root, current.root) }
  }

  /// True when everything was visited.
  package var isAtEnd: Bool { start == nil && levels.isEmpty }

  /// The visited part, from 0 to 1, estimated as if all children of a node had the same size.
  package var progress: Double {
    if isAtEnd { return 1 }
    var (progress, share) = (0.0, 1.0)
    for level in levels {
      // The last child is still being visited.
      progress += share * Double(max(0, min(level.doneCount, level.count) - 1)) / Double(level.count)
      share /= Double(level.count)
    }
    return progress
  }

  /// Proceeds for about the given number of steps: one for each location, plus those of its rules.
  package mutating func advance(steps: Int, _ found: (Failure) -> Void) {
    var stepsLeft = steps
    if let (staged, current) = start {
      start = nil
      visit(root, staged, current, &stepsLeft, found)
    }
    while stepsLeft > 0, !levels.isEmpty {
      stepsLeft -= 1
      guard let next = levels[levels.count - 1].next() else {
        levels.removeLast()
        if !levels.isEmpty { keys.removeLast() }
        continue
      }
      let current = levels[levels.count - 1].current?.child(next.key)
      guard !validatesSame(next.staged, current) else { continue }
      keys.append(next.key)
      let depth = levels.count
      visit(next.node, next.staged, current, &stepsLeft, found)
      if levels.count == depth { keys.removeLast() }
    }
  }

  /// Evaluates the rule of one location; its children are visited next.
  private mutating func visit(
    _ node: Node, _ staged: RuleNode, _ current: RuleNode?, _ stepsLeft: inout Int, _ found: (Failure) -> Void
  ) {
    if let rule = staged.validate, !RuleComparison.areSame(rule, current?.validate) {
      checkedCount += 1
      if !allows(rule, &stepsLeft) { found(failure(of: rule, current?.validate, &stepsLeft)) }
    }
    if node.isInterior { levels.append(Level(staged, current, node)) }
  }

  private func allows(_ rule: Rule, _ stepsLeft: inout Int, noting notes: ReadRecorder? = nil) -> Bool {
    let (result, steps) = EvaluationContext.with(
      auth: nil, nowMilliseconds: nowMilliseconds, query: nil, old: root, new: root
    ) { context in
      var context = context
      context.notes = notes
      context.decisionStepsLeft = RulesLimits.stepsPerRuleMax
      return keys.withUnsafeBufferPointer { keys in
        context.place.move(to: keys, sharing: 0)
        let result = context.run(rule, depth: keys.count)
        return (result, RulesLimits.stepsPerRuleMax - context.decisionStepsLeft)
      }
    }
    stepsLeft -= steps
    return result == .value(true)
  }

  /// Evaluates the rules again, and records the reads.
  private func failure(of rule: Rule, _ current: Rule?, _ stepsLeft: inout Int) -> Failure {
    let notes = ReadRecorder(ReadDependencies(countMax: 64))
    _ = allows(rule, &stepsLeft, noting: notes)
    var isFailingAlready = false
    if let current { isFailingAlready = !allows(current, &stepsLeft) }
    return Failure(
      rule: RuleReference(rule), path: Path(keys), usesAuth: notes.before.usesAuth,
      usesClock: notes.before.usesClock, isFailingAlready: isFailingAlready)
  }

  private mutating func validatesSame(_ staged: RuleNode, _ current: RuleNode?) -> Bool {
    let pair = Pair(staged: ObjectIdentifier(staged), current: current.map { ObjectIdentifier($0) })
    if let known = isSame[pair] { return known }
    let answer = RuleComparison.validateSame(staged, current)
    isSame[pair] = answer
    return answer
  }
}
