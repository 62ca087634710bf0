import HearthTree

/// All that a rule can see while it runs, and what it has used up. There is one for each request.
struct EvaluationContext: ~Copyable {
  let auth: JSON
  let now: Double
  let query: Query?
  /// The path, and the data along it.
  var place: Place
  /// Where the running rule stands: the number of keys of the path above it.
  var depth = 0
  var stepsLeft = 0
  var decisionStepsLeft = RulesLimits.stepsPerDecisionMax
  /// Nil unless somebody wants to know what was read; for a write, what was read of the tree before it.
  var dependencies: ReadDependencies?
  /// What was read of the tree after a write.
  var dependenciesAfter: ReadDependencies?
  /// From this depth on the path leads into what the write replaces. What is read there is not noted.
  var ownDepth = Int.max
  /// Nil unless somebody watches.
  var observation: Observation?
  /// A buffer for paths, kept between evaluations.
  var scratch: [UInt8] = []

  init(auth: JSON?, nowMilliseconds: Int64, query: Query?, place: consuming Place) {
    self.auth = auth ?? .null
    now = Double(nowMilliseconds)
    self.query = query
    self.place = place
  }

  /// For constants, which see nothing.
  static var empty: EvaluationContext {
    var context = EvaluationContext(auth: nil, nowMilliseconds: 0, query: nil, place: Place(old: .empty, new: .empty))
    context.stepsLeft = RulesLimits.stepsPerRuleMax
    return context
  }

  /// Whether what a chain reads is to be noted, unless it has a `parent()`.
  func notes(_ base: SnapshotBase) -> Bool {
    dependencies != nil && (base == .root || depth < ownDepth) || observation != nil
  }

  /// Whether a place is at or below what the write replaces on this path.
  func isOwn(_ keys: [Key]) -> Bool {
    keys.count >= ownDepth && ownDepth <= place.keys.count && keys[..<ownDepth] == place.keys[..<ownDepth]
  }

  /// Runs a rule that stands `depth` keys below the root on the current path.
  mutating func run(_ rule: Rule, depth: Int) -> RuleVisit.Result {
    self.depth = depth
    let allowance = min(RulesLimits.stepsPerRuleMax, decisionStepsLeft)
    stepsLeft = allowance
    defer { decisionStepsLeft -= min(allowance, allowance - stepsLeft) }
    observation?.begin(rule)
    do {
      return .value(try rule.program.truth(rule.program.root, &self))
    } catch {
      return .error(error)
    }
  }
}

/// A path that is being decided, and the data along it before and after the write. Nodes are looked up when a rule
/// first asks for them.
struct Place {
  let oldRoot: Node
  let newRoot: Node
  private(set) var keys: [Key] = []
  private var oldNodes: [Node] = []
  private var newNodes: [Node] = []

  init(old: Node, new: Node) {
    oldRoot = old
    newRoot = new
  }

  /// Goes to another path and keeps what is known of the part that both share. Gives the length of that part.
  @discardableResult
  mutating func move(to path: Path) -> Int {
    var shared = 0
    while shared < min(keys.count, path.count), keys[shared] == path.keys[shared] { shared += 1 }
    keys = path.keys
    cut(to: shared)
    return shared
  }

  /// Goes to a child whose node after the write is known.
  mutating func push(_ key: Key, new node: Node) {
    _ = new(at: keys.count)
    keys.append(key)
    newNodes.append(node)
  }

  mutating func pop() {
    keys.removeLast()
    cut(to: keys.count)
  }

  private mutating func cut(to depth: Int) {
    if oldNodes.count > depth + 1 { oldNodes.removeLast(oldNodes.count - depth - 1) }
    if newNodes.count > depth + 1 { newNodes.removeLast(newNodes.count - depth - 1) }
  }

  /// The node before the write below the first `depth` keys.
  mutating func old(at depth: Int) -> Node {
    if depth == 0 { return oldRoot }
    if oldNodes.isEmpty { oldNodes.append(oldRoot) }
    while oldNodes.count <= depth { oldNodes.append(oldNodes[oldNodes.count - 1].child(keys[oldNodes.count - 1])) }
    return oldNodes[depth]
  }

  /// The node after the write below the first `depth` keys.
  mutating func new(at depth: Int) -> Node {
    if newNodes.isEmpty { newNodes.append(newRoot) }
    while newNodes.count <= depth { newNodes.append(newNodes[newNodes.count - 1].child(keys[newNodes.count - 1])) }
    return newNodes[depth]
  }
}
