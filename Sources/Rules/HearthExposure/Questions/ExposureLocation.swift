import HearthRules
import HearthTree

/// A place that rules files name: `/rooms/$room`. It stands for every path that matches it in the rules.
package struct ExposureLocation: Sendable {
  /// One step of it.
  package enum Step: Sendable, Hashable {
    /// Exactly this key.
    case key(String)
    /// Any legal key that no file of the question names beside it.
    case wildcard(name: String, excluding: [String])
  }

  /// The steps from the root down.
  package let steps: [Step]
  /// The nodes of each rules file of the question from the root down to the location; nil below the last named one.
  let chains: [[RuleNode?]]

  /// The location as the rules have it.
  package var template: String {
    "/"
      + steps.map { step in
        switch step {
        case .key(let key): key
        case .wildcard(let name, _): name
        }
      }.joined(separator: "/")
  }

  /// Every location of some rules files together, in the order of the first file, then the additional ones of later
  /// files. A key that only one names matches the wildcard of the other, as in evaluation.
  package static func all(in files: [RuleSet]) -> [ExposureLocation] {
    var result: [ExposureLocation] = []
    let root = ExposureLocation(steps: [], chains: files.map { [$0.root] })
    root.visit { location in
      result.append(location)
      return location.below
    }
    return result
  }

  /// The locations of two files at which an applicable rule differs, in the order of ``all(in:)``. Shared parts are not
  /// visited.
  static func changed(from old: RuleSet, to new: RuleSet) -> [ExposureLocation] {
    var result: [ExposureLocation] = []
    let root = ExposureLocation(steps: [], chains: [[new.root], [old.root]])
    root.visit { location in
      if ExposureOperation.allCases.contains(where: { !location.isSame(for: $0) }) { result.append(location) }
      let isSameChain = zip(location.chains[0], location.chains[1]).allSatisfy {
        $0 === $1 || RuleComparison.areSame($0, $1)
      }
      return isSameChain ? location.belowUnshared : location.below
    }
    return result
  }

  /// - Parameter next: takes a location, and returns those to visit below it.
  private func visit(_ next: (ExposureLocation) -> [ExposureLocation]) {
    for location in next(self) { location.visit(next) }
  }

  private var nodes: [RuleNode?] { chains.map { $0.last ?? nil } }

  private func adding(_ step: Step, _ next: (RuleNode) -> RuleNode?) -> ExposureLocation {
    ExposureLocation(steps: steps + [step], chains: chains.map { $0 + [($0.last ?? nil).flatMap(next)] })
  }

  /// The locations right below.
  private var below: [ExposureLocation] {
    var names: [String] = []
    var seen: Set<Key> = []
    for node in nodes {
      for (key, _) in node?.children.list ?? [] where seen.insert(key).inserted { names.append(key.text) }
    }
    var result = names.map { name in adding(.key(name)) { $0.child(Key(name)) } }
    if let wildcard = nodes.lazy.compactMap({ $0?.wildcard }).first {
      result.append(adding(.wildcard(name: wildcard.name, excluding: names)) { $0.wildcard })
    }
    return result
  }

  /// The locations right below that two files do not share; only those when they can be found cheaply.
  private var belowUnshared: [ExposureLocation] {
    guard let a = nodes[0], let b = nodes[1], a !== b else { return nodes[0] === nodes[1] ? [] : below }
    guard a.children.sharesNames(with: b.children) else { return below }
    var result: [ExposureLocation] = []
    for (index, (mine, other)) in zip(a.children.list, b.children.list).enumerated() where mine.node !== other.node {
      result.append(adding(.key(mine.key.text)) { $0.children.list[index].node })
    }
    if a.wildcard !== b.wildcard, let wildcard = a.wildcard ?? b.wildcard {
      let names = a.children.list.map(\.key.text)
      result.append(adding(.wildcard(name: wildcard.name, excluding: names)) { $0.wildcard })
    }
    return result
  }

  /// True when all applicable rules are the same in the two files: they have one text and stand at one place.
  func isSame(for operation: ExposureOperation) -> Bool {
    guard chains.count == 2 else { return false }
    let pairs = zip(chains[0], chains[1])
    let (last, other) = (chains[0].last ?? nil, chains[1].last ?? nil)
    switch operation {
    case .read: return pairs.allSatisfy { $0 === $1 || RuleComparison.areSame($0?.read, $1?.read) }
    case .write:
      return pairs.allSatisfy {
        $0 === $1
          || RuleComparison.areSame($0?.write, $1?.write) && RuleComparison.areSame($0?.validate, $1?.validate)
      }
        && RuleComparison.validateSame(last, other)
    }
  }

  /// The step to the keys that a node does not name.
  static func open(_ node: RuleNode?) -> Step {
    .wildcard(name: node?.wildcard?.name ?? "$key", excluding: node?.children.list.map(\.key.text) ?? [])
  }
}
