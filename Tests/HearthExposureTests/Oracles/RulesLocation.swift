import HearthRules
import HearthTree

/// A location of a rules file, found independently of the prover's own list.
struct RulesLocation {
  enum Step: Equatable {
    case key(String)
    case wildcard(name: String, excluding: [String])
  }

  var steps: [Step]
  /// The rule nodes from the root down to this location.
  var chain: [RuleNode]
  /// Indexes of the wildcards in the path that rules of the chain compare with `auth.uid`.
  let owners: Set<Int>

  private init(steps: [Step], chain: [RuleNode], owners: Set<Int>) {
    self.steps = steps
    self.chain = chain
    self.owners = owners.union(chain.last.map { Self.owners(at: $0) } ?? [])
  }

  var node: RuleNode { chain[chain.count - 1] }

  /// Returns every location, the root first.
  static func all(in rules: RuleSet) -> [RulesLocation] {
    var found: [RulesLocation] = []
    var open = [RulesLocation(steps: [], chain: [rules.root], owners: [])]
    while let rulesLocation = open.popLast() {
      found.append(rulesLocation)
      let names = rulesLocation.node.children.list.map(\.key.text)
      for (key, child) in rulesLocation.node.children.list {
        open.append(
          RulesLocation(
            steps: rulesLocation.steps + [.key(key.text)], chain: rulesLocation.chain + [child],
            owners: rulesLocation.owners))
      }
      if let child = rulesLocation.node.wildcard {
        let step = Step.wildcard(name: "$", excluding: names)
        open.append(
          RulesLocation(
            steps: rulesLocation.steps + [step], chain: rulesLocation.chain + [child], owners: rulesLocation.owners))
      }
    }
    return found
  }

  /// Returns true when the path is an instance of this location.
  func isInstance(_ path: Path) -> Bool {
    guard path.count == steps.count else { return false }
    return zip(path.keys, steps).allSatisfy { key, step in
      switch step {
      case .key(let text): key == Key(text)
      case .wildcard(_, let names): key.problem == nil && !names.contains { Key($0) == key }
      }
    }
  }

  private static func owners(at node: RuleNode) -> Set<Int> {
    var found: Set<Int> = []
    for rule in [node.read, node.write, node.validate] {
      for part in rule?.expression?.parts ?? [] {
        guard case .binary(let binary, let a, let b) = part.form, binary == .equal || binary == .notEqual else {
          continue
        }
        for (x, y) in [(a, b), (b, a)] {
          if case .wildcard(let index) = x.form, y.isUID { found.insert(index) }
        }
      }
    }
    return found
  }
}

extension TypedExpression {
  /// The expression and all its subexpressions.
  var parts: [TypedExpression] {
    var found: [TypedExpression] = []
    var open = [self]
    while let next = open.popLast() {
      found.append(next)
      open += next.operands
    }
    return found
  }

  private var operands: [TypedExpression] {
    switch form {
    case .constant, .now, .wildcard, .auth, .query, .snapshot, .unusable: []
    case .claim(let a, _), .queryField(let a, _), .parent(let a), .snapshotTest(let a, _), .length(let a),
      .matches(let a, _), .not(let a), .negate(let a):
      [a]
    case .claimIndex(let a, let b), .child(let a, let b), .hasChild(let a, let b), .binary(_, let a, let b): [a, b]
    case .hasAllChildren(let a, let list), .text(let a, _, let list): [a] + list
    case .all(let list), .any(let list): list
    case .conditional(let a, let b, let c): [a, b, c]
    }
  }

  /// True for `auth.uid`, which tokens have under two more names.
  fileprivate var isUID: Bool {
    switch form {
    case .claim(let inner, let name): inner.isUIDOwner(name)
    case .claimIndex(let inner, let name):
      if case .constant(.string(let name)) = name.form { inner.isUIDOwner(name) } else { false }
    default: false
    }
  }

  private func isUIDOwner(_ name: String) -> Bool {
    switch form {
    case .auth: name == "uid"
    case .claim(let inner, "token"): if case .auth = inner.form { name == "sub" || name == "user_id" } else { false }
    default: false
    }
  }
}
