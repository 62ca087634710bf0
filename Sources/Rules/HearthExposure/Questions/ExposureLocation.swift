import HearthRules
import HearthTree

/// A location in rules files, such as `/rooms/$room`. It represents every path that matches it.
package struct ExposureLocation: Sendable {
  /// One step of the location.
  package enum Step: Sendable, Hashable {
    /// Exactly this key.
    case key(String)
    /// Any valid key that no file of the question names next to the wildcard.
    case wildcard(name: String, excluding: [String])
  }

  /// The steps from the root down.
  package let steps: [Step]
  /// The nodes of each rules file of the question from the root down to the location; nil below the last node that the
  /// file has.
  let chains: [[RuleNode?]]

  /// The location in the notation of rules.
  package var template: String {
    "/"
      + steps.map { step in
        switch step {
        case .key(let key): key
        case .wildcard(let name, _): name
        }
      }.joined(separator: "/")
  }

  /// Returns the locations of several rules files, in the order of the first file, then the additional ones of later
  /// files. A key that only one file names matches the wildcard of another, as in evaluation.
  package static func all(in files: [RuleSet]) -> [ExposureLocation] {
    var result: [ExposureLocation] = []
    let root = ExposureLocation(steps: [], chains: files.map { [$0.root] })
    root.visit { location in
      result.append(location)
      return location.below
    }
    return result
  }

  /// Returns the locations of two files at which an applicable rule differs, in the order of ``all(in:)``. Shared parts
  /// are not visited.
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

  /// Visits this location and those below it.
  ///
  /// - Parameter next: Called for a location; returns the locations below it to visit.
  private func visit(_ next: (ExposureLocation) -> [ExposureLocation]) {
    for location in next(self) { location.visit(next) }
  }

  private var nodes: [RuleNode?] { chains.map { $0.last ?? nil } }

  private func adding(_ step: Step, _ next: (RuleNode) -> RuleNode?) -> ExposureLocation {
    ExposureLocation(steps: steps + [step], chains: chains.map { $0 + [($0.last ?? nil).flatMap(next)] })
  }

  /// The child locations.
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

  /// The child locations, without those that two files share when these can be found cheaply.
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

  /// True when all applicable rules are the same in the two files: they have the same text and are at the same
  /// location.
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

  /// Returns the step for the keys that a node does not name.
  static func open(_ node: RuleNode?) -> Step {
    .wildcard(name: node?.wildcard?.name ?? "$key", excluding: node?.children.list.map(\.key.text) ?? [])
  }
}
