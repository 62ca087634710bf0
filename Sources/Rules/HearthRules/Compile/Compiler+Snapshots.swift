extension Compiler {
  /// A snapshot, or two snapshots of which a condition selects one.
  indirect enum Chains {
    case one(SnapshotChain, [ChainMark])
    case either(condition: Int32, Chains, Chains)

    func appending(_ step: SnapshotChain.Step) -> Chains {
      switch self {
      case .one(let chain, let marks): return .one(chain.appending(step), marks)
      case .either(let condition, let a, let b):
        return .either(condition: condition, a.appending(step), b.appending(step))
      }
    }

    /// The sites of all alternatives.
    var sites: Set<Int32> {
      switch self {
      case .one(_, let marks): Set(marks.map(\.site))
      case .either(_, let a, let b): a.sites.intersection(b.sites)
      }
    }

    /// Returns the chains with a site recorded at their current end.
    func marked(_ site: Int32?) -> Chains {
      guard let site else { return self }
      switch self {
      case .one(let chain, let marks):
        return .one(chain, marks + [ChainMark(stepCount: chain.steps.count, site: site)])
      case .either(let condition, let a, let b):
        return .either(condition: condition, a.marked(site), b.marked(site))
      }
    }
  }

  mutating func chains(_ snapshot: TypedExpression) -> Chains {
    let chains: Chains
    switch snapshot.form {
    case .child(let receiver, let path):
      let before = self.chains(receiver)
      chains = before.appending(.child(template: template(path)))
    case .parent(let receiver): chains = self.chains(receiver).appending(.parent)
    case .conditional(let condition, let then, let otherwise):
      chains = .either(condition: compile(condition), self.chains(then), self.chains(otherwise))
    case .snapshot(let base): chains = .one(SnapshotChain(base), [])
    // The checker allows no other expression as a snapshot.
    case .constant, .now, .wildcard, .auth, .claim, .claimIndex, .query, .queryField, .snapshotTest, .hasChild,
      .hasAllChildren, .length, .text, .matches, .not, .negate, .all, .any, .binary, .unusable:
      chains = .one(SnapshotChain(.root), [])
    }
    return chains.marked(sites?.part(snapshot))
  }

  mutating func call(
    _ function: SnapshotFunction, _ chains: Chains, _ source: TypedExpression, isBranch: Bool = false
  ) -> Int32 {
    switch chains {
    case .one(let chain, let marks):
      let chain = add(chain, marks)
      let isTest = function.descriptor.type == .boolean
      return emit(
        isTest ? .test(function, chain: chain) : .value(function, chain: chain), source, isSite: !isBranch)
    case .either(let condition, let a, let b):
      let (first, second) = (call(function, a, source, isBranch: true), call(function, b, source, isBranch: true))
      let index = emit(.conditional(condition, first, second), source, isSite: !isBranch)
      sites?.depend(chains.sites, on: index)
      return index
    }
  }

  mutating func hasAllChildren(
    _ chains: Chains, _ templates: Int32, _ count: Int32, _ source: TypedExpression, isBranch: Bool = false
  ) -> Int32 {
    switch chains {
    case .one(let chain, let marks):
      let chain = add(chain, marks)
      return emit(.hasAllChildren(chain: chain, templates: templates, count: count), source, isSite: !isBranch)
    case .either(let condition, let a, let b):
      let first = hasAllChildren(a, templates, count, source, isBranch: true)
      let second = hasAllChildren(b, templates, count, source, isBranch: true)
      let index = emit(.conditional(condition, first, second), source, isSite: !isBranch)
      sites?.depend(chains.sites, on: index)
      return index
    }
  }

  private mutating func add(_ chain: SnapshotChain, _ marks: [ChainMark]) -> Int32 {
    program.chains.append(chain)
    let index = Int32(program.chains.count - 1)
    sites?.chain(index, marks)
    return index
  }
}
