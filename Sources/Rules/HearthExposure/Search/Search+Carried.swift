import HearthRules

/// The validate rules below a written place.
extension Search {
  /// Returns the places to which a value is written, with their rules.
  private func written(_ branch: Branch) -> [WrittenPlace] {
    guard target.operation == .write else { return [] }
    let own = WrittenPlace(place: target.change.place, keys: target.keys, node: target.allowed.last ?? nil)
    return (target.carriesValue ? [own] : []) + branch.others
  }

  /// Adds the `.validate` of every place below a written one that exists after the write, because the decision
  /// evaluates each.
  ///
  /// Places whose rules are not certain are omitted: with fewer goals, no possible request is refuted.
  func adoptCarried(_ branch: inout Branch) -> Bool {
    var hasAdopted = false
    for written in written(branch) {
      guard let node = written.node, node.hasValidation else { continue }
      for term in branch.facts.active {
        guard case .value(.new, let place) = table[term], !branch.facts.types(term).contains(.null) else { continue }
        let canonical = branch.facts.canonical(place)
        guard !branch.validated.contains(canonical), branch.facts.relation(canonical, to: written.place) == .below,
          let (found, keys) = rules(at: canonical, below: node, depth: written.keys.count, branch.facts)
        else { continue }
        branch.validated.insert(canonical)
        guard let expression = found.validate?.expression else { continue }
        branch.adopt([.formula(.holds, expression, table.addScope(keys))], unfolding)
        hasAdopted = true
        if branch.facts.isRefuted { return true }
      }
    }
    return hasAdopted
  }

  /// Returns the rules for a place below a node at the given depth, and the place's keys; nil when they are not
  /// certain.
  func rules(
    at place: PlaceID, below node: RuleNode, depth: Int, _ facts: Facts
  ) -> (node: RuleNode, keys: [TermID])? {
    let keys = table.places[place].segments.compactMap(\.key)
    guard keys.count == table.places[place].segments.count else { return nil }
    var node = node
    for key in keys[depth...] {
      guard let next = child(of: node, key, facts) ?? nil else { return nil }
      node = next
    }
    return (node, keys)
  }

  /// Returns the rules' node for a key: nil when it is not certain, and an empty optional when no rule names it.
  func child(of node: RuleNode, _ key: TermID, _ facts: Facts) -> RuleNode?? {
    if let text = facts.constantText(key) { return .some(node.child(.init(text))) }
    // An unknown key matches the wildcard only when it differs from the names next to the wildcard.
    let isNone = node.children.list.allSatisfy { facts.differ(key, table.intern(.text($0.key))) }
    return isNone ? .some(node.wildcard) : nil
  }

  /// Returns an object in a written value with no known child, and all cases of its first child: one that the rules
  /// name, or any other; nil when there is no such object.
  func unopenedObject(_ branch: Branch) -> (PlaceID, [[Goal]])? {
    let facts = branch.facts
    for written in written(branch) {
      guard let node = written.node, node.hasValidation else { continue }
      for term in facts.active {
        guard case .value(.new, let place) = table[term], facts.types(term) == .object,
          facts.canonical(place) == place, !branch.opened.contains(place)
        else { continue }
        let relation = facts.relation(place, to: written.place)
        guard relation == .at || relation == .below,
          let (found, _) = rules(at: place, below: node, depth: written.keys.count, facts), found.hasValidation,
          !hasChild(place, facts)
        else { continue }
        return (place, children(of: place, found))
      }
    }
    return nil
  }

  private func children(of place: PlaceID, _ node: RuleNode) -> [[Goal]] {
    let fresh = table.addWildcard("$key", excluding: node.children.list.map(\.key.text))
    let keys = node.children.list.map { table.intern(.text($0.key)) } + [fresh]
    return keys.map { [.literal(.types(table.intern(.value(.new, table.place(place, .key($0)))), .present))] }
  }

  private func hasChild(_ place: PlaceID, _ facts: Facts) -> Bool {
    facts.active.contains { term in
      guard case .value(.new, let other) = table[term], !facts.types(term).contains(.null) else { return false }
      let resolved = facts.canonical(other)
      return table.places[resolved].parent == place
    }
  }
}
