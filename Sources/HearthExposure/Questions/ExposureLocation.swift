import HearthRules
import HearthTree

/// A place that rules files name: `/rooms/$room`. It stands for every path that leads to that place of the rules.
package struct ExposureLocation: Sendable {
  /// One step of it.
  package enum Step: Sendable, Hashable {
    /// This key.
    case key(String)
    /// Any legal key that no file of the question names beside it.
    case wildcard(name: String, excluding: [String])
  }

  /// From the root down.
  package let steps: [Step]
  /// For each rules file of the question its nodes from the root down to the location; nil from where it names nothing.
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

  /// Every location of some rules files together, in the order of the first file, then of what only later ones name. A key
  /// that only one names is served by the wildcard of the other, as the rules are matched.
  package static func all(in files: [RuleSet]) -> [ExposureLocation] {
    var result: [ExposureLocation] = []
    visit(files.map { [$0.root] }, [], &result)
    return result
  }

  private static func visit(_ chains: [[RuleNode?]], _ steps: [Step], _ result: inout [ExposureLocation]) {
    result.append(ExposureLocation(steps: steps, chains: chains))
    let nodes = chains.map { $0.last ?? nil }
    var names: [String] = []
    var seen: Set<Key> = []
    for node in nodes {
      for (key, _) in node?.children.list ?? [] where seen.insert(key).inserted { names.append(key.text) }
    }
    func go(_ step: Step, _ next: (RuleNode) -> RuleNode?) {
      visit(zip(chains, nodes).map { chain, node in chain + [node.flatMap(next)] }, steps + [step], &result)
    }
    for name in names { go(.key(name)) { $0.child(Key(name)) } }
    if let wildcard = nodes.lazy.compactMap({ $0?.wildcard }).first {
      go(.wildcard(name: wildcard.name, excluding: names)) { $0.wildcard }
    }
  }

  /// The step to what a node does not name.
  static func open(_ node: RuleNode?) -> Step {
    .wildcard(name: node?.wildcard?.name ?? "$key", excluding: node?.children.list.map(\.key.text) ?? [])
  }
}
