import HearthTree

/// An evaluator of the rules along the paths of one request.
struct Decider: ~Copyable {
  var context: EvaluationContext
  /// The collector of observations; nil when the decision is not observed.
  private var watcher: DecisionWatcher?
  /// The number of keys that the current path shares with the previous location of the write, whose rules have already
  /// been validated; -1 at the start.
  private var validatedDepth = -1
  /// The write rules that allowed locations, once each; nil unless they were requested.
  private var grantingRules: [Unmanaged<Rule>]?

  /// Creates a decider.
  init(_ context: consuming EvaluationContext) { self.context = context }

  /// Starts to trace the results of rules, to count them, or both.
  mutating func watch(isTracing: Bool, coverage: RulesCoverage?) {
    guard isTracing || coverage != nil else { return }
    watcher = DecisionWatcher(coverage: coverage, trace: isTracing ? Trace() : nil)
    context.observation = Observation(keepsValues: isTracing)
  }

  /// Starts to record every read of the data.
  mutating func recordReads() {
    let watcher = watcher ?? DecisionWatcher(coverage: nil, trace: nil)
    watcher.reads = []
    self.watcher = watcher
    context.observation = Observation(keepsValues: true)
    context.notes = ReadRecorder()
  }

  /// Starts to record the write rules that allow locations.
  mutating func recordGrantingRules() { grantingRules = [] }

  /// The write rules that allowed locations so far, once each, in the order of the locations.
  var granting: [RuleReference] { grantingRules?.map { RuleReference($0.takeUnretainedValue()) } ?? [] }

  /// The trace; nil unless it was requested.
  var trace: Trace? { watcher?.trace }

  /// Every read of the data so far; nil when they were not requested, or when there were too many.
  var reads: [Observation.Read]? { watcher?.reads }

  /// Returns the decision for a verdict, with its details.
  func decision(_ verdict: Verdict) -> Decision {
    Decision(
      outcome: verdict.outcome, rule: verdict.rule.map { RuleReference($0.takeUnretainedValue()) },
      path: Path(context.place.keys(verdict.depth)), error: verdict.error)
  }

  /// Evaluates the read or write rules from the root down to the end of the path, until one is true.
  mutating func grant(_ kind: RuleKind, from root: RuleNode) -> Verdict {
    var node = Unmanaged.passUnretained(root)
    var depth = 0
    var last = Verdict(outcome: .noRule, rule: nil, depth: context.place.count)
    while true {
      if let rule = node._withUnsafeGuaranteedRef({ kind == .read ? $0.unmanagedRead : $0.unmanagedWrite }) {
        switch run(rule, depth: depth) {
        case .value(true): return Verdict(outcome: .granted, rule: rule, depth: depth)
        case .value(false): last = Verdict(outcome: .noGrant, rule: rule, depth: depth)
        case .error(let error): last = Verdict(outcome: .noGrant, rule: rule, depth: depth, error: error)
        }
      }
      guard depth < context.place.count,
        let next = node._withUnsafeGuaranteedRef({ $0.unmanagedChild(context.place.key(at: depth)) })
      else { return last }
      node = next
      depth += 1
    }
  }

  /// Decides one location of a write.
  ///
  /// - Parameter sharedCount: The number of keys that its path shares with that of the previous location.
  mutating func decideWrite(
    of path: UnsafeBufferPointer<Key>, isPriority: Bool, sharing sharedCount: Int, from root: RuleNode
  ) -> Verdict {
    context.place.move(to: path, sharing: sharedCount)
    validatedDepth = min(validatedDepth, sharedCount)
    if let notes = context.notes, !notes.recordsOwn { notes.ownDepth = min(notes.ownDepthMax, path.count) }
    let verdict = grant(.write, from: root)
    if grantingRules != nil, verdict.isAllowed, let rule = verdict.rule { note(grantingRule: rule) }
    guard verdict.isAllowed, root.hasValidation else { return verdict }
    return validate(path, carriesValue: !isPriority, from: root) ?? verdict
  }

  private mutating func note(grantingRule: Unmanaged<Rule>) {
    let isKnown = grantingRules?.contains { $0.toOpaque() == grantingRule.toOpaque() } ?? true
    if !isKnown { grantingRules?.append(grantingRule) }
  }

  // MARK: Validation

  /// Evaluates the validate rules from the root to a location, and those below it for the written value. Returns nil
  /// when all are true.
  private mutating func validate(
    _ path: UnsafeBufferPointer<Key>, carriesValue: Bool, from root: RuleNode
  ) -> Verdict? {
    var place = Unmanaged.passUnretained(root)
    for depth in 0...path.count {
      let node = context.place.new(at: depth)
      if let notes = context.notes, depth < notes.ownDepth {
        notes.after?.read(Path(context.place.keys(depth)), .existence)
      }
      if node.isEmpty { return nil }
      if depth > validatedDepth, let refusal = check(place, depth: depth) { return refusal }
      if depth == path.count {
        validatedDepth = depth
        return carriesValue ? validateChildren(of: node, place) : nil
      }
      let next = place._withUnsafeGuaranteedRef { $0.unmanagedChild(path[depth]) }
      guard let next, next._withUnsafeGuaranteedRef({ $0.hasValidation }) else { break }
      place = next
    }
    return nil
  }

  /// Evaluates the validate rules below a node that was written. The recursion is as deep as the rules, whose depth is
  /// limited.
  private mutating func validateChildren(of node: BorrowedNode, _ place: Unmanaged<RuleNode>) -> Verdict? {
    let rules = place._withUnsafeGuaranteedRef { $0 }
    guard rules.hasValidationBelow else { return nil }
    if let wildcard = rules.wildcard, wildcard.hasValidation {
      var refusal: Verdict?
      node.forEachChild { bytes, child in
        let key = Key(utf8: bytes)
        guard let next = rules.unmanagedChild(key), next._withUnsafeGuaranteedRef({ $0.hasValidation }) else {
          return true
        }
        refusal = validate(child, key, next)
        return refusal == nil
      }
      return refusal
    }
    for (key, next) in rules.children.list where next.hasValidation {
      let child = node.child(key)
      if !child.isEmpty, let refusal = validate(child, key, .passUnretained(next)) { return refusal }
    }
    return nil
  }

  /// Evaluates the validate rules of a child and below it. On a refusal, the current path is kept, because the decision
  /// is read from it.
  private mutating func validate(_ node: BorrowedNode, _ key: Key, _ place: Unmanaged<RuleNode>) -> Verdict? {
    context.place.push(key, new: node)
    if let refusal = check(place, depth: context.place.count) ?? validateChildren(of: node, place) { return refusal }
    context.place.pop()
    return nil
  }

  /// Evaluates the validate rule of one node; nil when it is true.
  private mutating func check(_ place: Unmanaged<RuleNode>, depth: Int) -> Verdict? {
    guard let rule = place._withUnsafeGuaranteedRef({ $0.unmanagedValidate }) else { return nil }
    switch run(rule, depth: depth) {
    case .value(true): return nil
    case .value(false): return Verdict(outcome: .invalid, rule: rule, depth: depth)
    case .error(let error): return Verdict(outcome: .invalid, rule: rule, depth: depth, error: error)
    }
  }

  private mutating func run(_ rule: Unmanaged<Rule>, depth: Int) -> RuleVisit.Result {
    rule._withUnsafeGuaranteedRef { rule in
      let result = context.run(rule, depth: depth)
      if let watcher, let observation = context.observation {
        watcher.note(rule, at: Path(context.place.keys(depth)), result, observation)
      }
      return result
    }
  }
}

/// A collector of the observations of a decision.
final class DecisionWatcher {
  /// The coverage to count into; nil without counting.
  private let coverage: RulesCoverage?
  /// The trace; nil unless it was requested.
  private(set) var trace: Trace?
  /// Every read of the data so far; nil when they were not requested, or when there were too many.
  var reads: [Observation.Read]?

  init(coverage: RulesCoverage?, trace: Trace?) {
    self.coverage = coverage
    self.trace = trace
  }

  /// Adds a rule that was just evaluated.
  func note(_ rule: Rule, at path: @autoclosure () -> Path, _ result: RuleVisit.Result, _ observation: Observation) {
    coverage?.add(rule, observation)
    if let count = reads?.count {
      let isTooMany = count + observation.reads.count > RulesLimits.recordReadsMax
      if isTooMany { reads = nil } else { reads?.append(contentsOf: observation.reads) }
    }
    if trace != nil {
      let path = path()
      trace?.add { TraceBuilder.visit(rule, at: path, result, observation, entriesLeft: &$0) }
    }
  }
}
