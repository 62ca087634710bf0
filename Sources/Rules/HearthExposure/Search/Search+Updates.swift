import HearthRules

/// Updates of several paths: places other than the one in question may be written as well, if the rules allow it.
///
/// This is only used to find requests. A proof that there is no request uses the conditions that hold for any other
/// paths.
extension Search {
  /// Returns a place next to all written ones that must have changed; nil when there is none. Places that need not
  /// differ are assumed to be unchanged.
  func undecidedBeside(_ branch: inout Branch) -> PlaceID? {
    guard target.change.kind == .many else { return nil }
    for term in branch.facts.active {
      guard case .value(.new, let place) = table[term], branch.facts.canonical(place) == place,
        isBeside(place, branch)
      else { continue }
      let old = table.intern(.value(.old, place))
      var same = branch.facts
      same.unite(term, old)
      same.saturate(texts)
      if !same.isRefuted {
        branch.facts = same
      } else if branch.others.count < ExposureLimits.otherPathsMax {
        return place
      }
    }
    return nil
  }

  private func isBeside(_ place: PlaceID, _ branch: Branch) -> Bool {
    branch.facts.relation(place) == .beside
      && branch.others.allSatisfy { branch.facts.relation(place, to: $0.place) == .beside }
  }

  /// Searches with another path in the update: a place, or a place above it that is next to all written ones.
  mutating func search(_ branch: Branch, writing place: PlaceID) -> Outcome {
    var at: PlaceID? = place
    while let other = at, isBeside(other, branch) {
      var next = branch
      let keys = table.places[other].segments.compactMap(\.key)
      if keys.count == table.places[other].segments.count, let chain = chain(keys, branch.facts) {
        next.others.append(WrittenPlace(place: other, keys: keys, node: chain.last ?? nil))
        next.adopt(grants(chain, keys), unfolding)
        let outcome = next.facts.isRefuted ? Outcome.refuted : search(next)
        if case .open = outcome { return outcome }
      }
      at = table.places[other].parent
    }
    // Other places could be written with the same effect, so this is not a proof.
    return .unfinished(nodesLeft < 0 ? .searchTooLong : .noWitness)
  }

  /// Returns the rules from the root to a place; nil when they are not certain.
  private func chain(_ keys: [TermID], _ facts: Facts) -> [RuleNode?]? {
    var chain: [RuleNode?] = [target.rules.root]
    for key in keys {
      guard let node = chain[chain.count - 1] else {
        chain.append(nil)
        continue
      }
      guard let next = child(of: node, key, facts) else { return nil }
      chain.append(next)
    }
    return chain
  }

  /// Returns the conditions under which a value is written at a place and the rules from the root allow it.
  private func grants(_ chain: [RuleNode?], _ keys: [TermID]) -> [Goal] {
    func scope(_ depth: Int) -> ScopeID { table.addScope(Array(keys.prefix(depth))) }
    var grants: [[Goal]] = []
    var goals: [Goal] = []
    for (depth, node) in chain.enumerated() {
      if let write = node?.write?.expression { grants.append([.formula(.holds, write, scope(depth))]) }
      guard let validate = node?.validate?.expression else { continue }
      let value = table.intern(.value(.new, table.place(Array(keys.prefix(depth)))))
      goals.append(
        .either([
          [.literal(.types(value, .null))],
          [.literal(.types(value, .present)), .formula(.holds, validate, scope(depth))],
        ]))
    }
    return [.either(grants)] + goals
  }
}
