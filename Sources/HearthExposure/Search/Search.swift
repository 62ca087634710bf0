import HearthRules

/// Looks for a request that makes all goals of a case true, by cases, depth first.
///
/// A case is closed only when every branch was refuted. One function ends branches, and what it gives cannot be left
/// unlooked at: a branch without an answer keeps the whole from being closed.
struct Search {
  /// How a branch, or all of them, came to its end.
  enum Ending {
    /// No request is on it.
    case refuted
    /// This one is.
    case open(ExposureWitness)
    /// Nobody knows.
    case unfinished(ExposureReason)
  }

  let table: TermTable
  let texts: TextSolver
  let aim: Aim
  var nodesLeft = ExposureLimits.searchNodesMax
  var leavesLeft = ExposureLimits.leavesMax
  private let unfolding: Unfolding

  init(_ aim: Aim, _ table: TermTable, _ texts: TextSolver) {
    self.aim = aim
    self.table = table
    self.texts = texts
    unfolding = Unfolding(table: table)
  }

  /// Runs to an answer from these goals.
  mutating func run(_ goals: [Goal]) -> Ending {
    var facts = Facts(table, aim.change)
    for key in aim.keys { facts.activate(key) }
    var branch = Branch(facts)
    branch.adopt(goals, unfolding)
    return search(branch)
  }

  private mutating func search(_ start: Branch) -> Ending {
    nodesLeft -= 1
    guard nodesLeft >= 0, start.depth <= ExposureLimits.searchDepthMax else { return .unfinished(.searchTooLong) }
    var branch = start
    branch.depth += 1
    repeat {
      branch.facts.saturate(texts)
      if branch.facts.isRefuted { return .refuted }
    } while branch.simplify(unfolding) || adoptCarried(&branch)
    guard let index = branch.choices.indices.min(by: { branch.choices[$0].count < branch.choices[$1].count }) else {
      return end(branch)
    }
    let alternatives = branch.choices.remove(at: index)
    return search(branch, eitherOf: alternatives)
  }

  /// Each of some cases, which together are all there are.
  private mutating func search(_ branch: Branch, eitherOf cases: [[Goal]]) -> Ending {
    var ending = Ending.refuted
    for goals in cases {
      var next = branch
      next.adopt(goals, unfolding)
      switch next.facts.isRefuted ? .refuted : search(next) {
      case .refuted: break
      case .open(let witness): return .open(witness)
      case .unfinished(let reason): ending = .unfinished(reason)
      }
      if nodesLeft < 0 { return .unfinished(.searchTooLong) }
    }
    return ending
  }

  /// The one end of a branch on which nothing is left to be chosen: a request, or a split into all the cases there are,
  /// or no answer.
  private mutating func end(_ leaf: Branch) -> Ending {
    leavesLeft -= 1
    guard leavesLeft >= 0 else { return .unfinished(.searchTooLong) }
    var branch = leaf
    if let (place, children) = unopenedObject(branch) {
      branch.opened.insert(place)
      return search(branch, eitherOf: children)
    }
    if let witness = RequestBuilder(aim, table, texts).request(branch.facts) { return .open(witness) }
    guard branch.splitsLeft > 0, let cases = Splits(branch.facts, texts).next() else {
      if table.faults.contains(.leafNotMarked) { return .refuted }
      return .unfinished(branch.isWeakened ? .tooManyAlternatives : .noWitness)
    }
    branch.splitsLeft -= 1
    return search(branch, eitherOf: cases)
  }

  // MARK: What the value carries

  /// Adds the `.validate` of every place below the written one that is there afterwards: the decision asks each.
  ///
  /// Places whose rules are not surely known are left out: fewer goals, so nothing is refuted that should not be.
  private func adoptCarried(_ branch: inout Branch) -> Bool {
    guard aim.carriesValue, let node = aim.allowed.last ?? nil, node.hasValidation else { return false }
    var hasAdopted = false
    for term in branch.facts.active {
      guard case .value(.new, let place) = table[term], !branch.facts.types(term).contains(.null) else { continue }
      let canonical = branch.facts.canonical(place)
      guard !branch.validated.contains(canonical), branch.facts.relation(canonical) == .below else { continue }
      guard let (found, keys) = rules(at: canonical, below: node, branch.facts) else { continue }
      branch.validated.insert(canonical)
      guard let expression = found.validate?.expression else { continue }
      branch.adopt([.formula(.holds, expression, table.addScope(keys))], unfolding)
      hasAdopted = true
      if branch.facts.isRefuted { return true }
    }
    return hasAdopted
  }

  /// The rules for a place below the written one, and its keys; nil when it is not sure which those are.
  private func rules(at place: PlaceID, below node: RuleNode, _ facts: Facts) -> (RuleNode, [TermID])? {
    let keys = table.places[place].segments.map { $0.key ?? -1 }
    guard !keys.contains(-1) else { return nil }
    var node = node
    for key in keys[aim.depth...] {
      if let text = facts.constantText(key) {
        guard let next = node.child(.init(text)) else { return nil }
        node = next
      } else {
        // A key that is not known is the wildcard's only when it is none of the names beside it.
        guard let next = node.wildcard,
          node.children.list.allSatisfy({ facts.differ(key, table.intern(.text($0.key))) })
        else { return nil }
        node = next
      }
    }
    return (node, keys)
  }

  /// An object in the written value of which no child is known, and what its first child may be: one that the rules name,
  /// or any other. That is all there is.
  private func unopenedObject(_ branch: Branch) -> (PlaceID, [[Goal]])? {
    guard aim.carriesValue, let node = aim.allowed.last ?? nil, node.hasValidation else { return nil }
    let facts = branch.facts
    for term in facts.active {
      guard case .value(.new, let place) = table[term], facts.types(term) == .object else { continue }
      let canonical = facts.canonical(place)
      guard canonical == place, !branch.opened.contains(place) else { continue }
      let relation = facts.relation(place)
      guard relation == .at || relation == .below, let (found, _) = rules(at: place, below: node, facts),
        found.hasValidation, !hasChild(place, facts)
      else { continue }
      var cases: [[Goal]] = found.children.list.map { key, _ in
        [.literal(.types(table.intern(.value(.new, table.place(place, .key(table.intern(.text(key)))))), .present))]
      }
      let fresh = table.addWildcard("$key", excluding: found.children.list.map(\.key.text))
      cases.append([.literal(.types(table.intern(.value(.new, table.place(place, .key(fresh)))), .present))])
      return (place, cases)
    }
    return nil
  }

  private func hasChild(_ place: PlaceID, _ facts: Facts) -> Bool {
    facts.active.contains { term in
      guard case .value(.new, let other) = table[term], !facts.types(term).contains(.null) else { return false }
      return table.places[facts.canonical(other)].parent == place
    }
  }
}
