import HearthTree

/// Walks the rules along paths for one request.
struct Decider: ~Copyable {
  var context: EvaluationContext
  /// Nil unless it was asked for.
  private(set) var trace: Trace?
  /// Every look at the data so far; nil unless it was asked for, and when there were too many.
  private(set) var reads: [Observation.Read]?
  /// What is counted into, if anything is.
  private let coverage: RulesCoverage?
  /// Places of a write further down count as the place at this depth above them, see ``EvaluationContext/ownDepth``.
  var ownDepthMax = Int.max
  /// How much of the present path the write's last place shared, all of it validated already.
  private var validatedDepth = -1

  init(context: consuming EvaluationContext, isTracing: Bool, coverage: RulesCoverage?) {
    self.context = context
    self.coverage = coverage
    guard isTracing || coverage != nil else { return }
    if isTracing { trace = Trace() }
    self.context.observation = Observation(keepsValues: isTracing)
  }

  /// From now on, every look at the data is kept.
  mutating func noteReads() {
    reads = []
    context.observation = Observation(keepsValues: true)
    context.dependencies = ReadDependencies()
  }

  /// Asks the read or write rules from the root down to `path`, until one is true.
  mutating func grant(_ kind: RuleKind, from root: RuleNode, to path: Path) -> Decision {
    var node = root
    var depth = 0
    var last: (rule: Rule, depth: Int, error: EvaluationError?)?
    while true {
      if let rule = kind == .read ? node.read : node.write {
        switch run(rule, depth: depth) {
        case .value(true):
          return Decision(outcome: .granted, rule: RuleReference(rule), path: Self.prefix(of: path, depth))
        case .value(false): last = (rule, depth, nil)
        case .error(let error): last = (rule, depth, error)
        }
      }
      guard depth < path.count, let next = node.child(path.keys[depth]) else { break }
      node = next
      depth += 1
    }
    guard let last else { return Decision(outcome: .noRule, rule: nil, path: path) }
    return Decision(
      outcome: .noGrant, rule: RuleReference(last.rule), path: Self.prefix(of: path, last.depth), error: last.error)
  }

  private static func prefix(of path: Path, _ depth: Int) -> Path {
    depth == path.count ? path : Path(Array(path.keys.prefix(depth)))
  }

  /// Decides one place of a write.
  mutating func decideWrite(of location: Location, from root: RuleNode) -> Decision {
    let path = location.path
    validatedDepth = min(validatedDepth, context.place.move(to: path))
    context.ownDepth = min(ownDepthMax, path.count)
    let decision = grant(.write, from: root, to: path)
    guard decision.isAllowed, root.hasValidation else { return decision }
    return validate(path, carriesValue: !location.isPriority, from: root) ?? decision
  }

  // MARK: Validation

  /// Asks the validate rules on the way to a place, and those below it for what the write puts there. Nil when all
  /// hold.
  private mutating func validate(_ path: Path, carriesValue: Bool, from root: RuleNode) -> Decision? {
    var place = root
    for depth in 0...path.count {
      let node = context.place.new(at: depth)
      if context.dependencies != nil, depth < context.ownDepth {
        context.dependenciesAfter?.read(path.prefix(depth), .existence)
      }
      if node.isEmpty { return nil }
      if depth > validatedDepth, let refusal = check(place, depth: depth) { return refusal }
      if depth == path.count {
        validatedDepth = depth
        return carriesValue ? validateChildren(of: node, place) : nil
      }
      guard let next = place.child(path.keys[depth]), next.hasValidation else { break }
      place = next
    }
    return nil
  }

  /// Asks the validate rules below a node that was written. Levels are those of the rules, which the file bounds.
  private mutating func validateChildren(of node: Node, _ place: RuleNode) -> Decision? {
    if let wildcard = place.wildcard, wildcard.hasValidation {
      for (key, child) in node.children {
        guard let next = place.child(key), next.hasValidation else { continue }
        if let refusal = validate(child, key, next) { return refusal }
      }
      return nil
    }
    for (key, next) in place.children.list where next.hasValidation {
      let child = node.child(key)
      if !child.isEmpty, let refusal = validate(child, key, next) { return refusal }
    }
    return nil
  }

  private mutating func validate(_ node: Node, _ key: Key, _ place: RuleNode) -> Decision? {
    context.place.push(key, new: node)
    defer { context.place.pop() }
    if let refusal = check(place, depth: context.place.keys.count) { return refusal }
    return validateChildren(of: node, place)
  }

  /// Asks one place's own validate rule.
  private mutating func check(_ place: RuleNode, depth: Int) -> Decision? {
    guard let rule = place.validate else { return nil }
    let result = run(rule, depth: depth)
    if result == .value(true) { return nil }
    let error: EvaluationError? = if case .error(let error) = result { error } else { nil }
    return Decision(
      outcome: .invalid, rule: RuleReference(rule), path: Path(Array(context.place.keys.prefix(depth))), error: error)
  }

  private mutating func run(_ rule: Rule, depth: Int) -> RuleVisit.Result {
    let result = context.run(rule, depth: depth)
    if let observation = context.observation { note(rule, depth: depth, result, observation) }
    return result
  }

  private mutating func note(
    _ rule: Rule, depth: Int, _ result: RuleVisit.Result, _ observation: Observation
  ) {
    coverage?.add(rule, observation)
    if let count = reads?.count {
      let isTooMany = count + observation.reads.count > RulesLimits.recordReadsMax
      if isTooMany { reads = nil } else { reads?.append(contentsOf: observation.reads) }
    }
    let path = Path(Array(context.place.keys.prefix(depth)))
    trace?.add { TraceBuilder.visit(rule, at: path, result, observation, entriesLeft: &$0) }
  }
}
