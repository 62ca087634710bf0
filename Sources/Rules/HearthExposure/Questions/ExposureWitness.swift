import HearthRules
import HearthTree

/// A request that the rules allow and that answers a question.
package struct ExposureWitness: Sendable {
  /// A change of a write at one place.
  package struct Change: Sendable {
    /// The place.
    package var path: Path
    /// The value afterwards; empty for a delete.
    package var value: Node
    /// True when the priority alone is written; the value carries it, and is otherwise the former one.
    package var isPriority = false
  }

  /// The `auth` of rules; nil when signed out.
  package var auth: JSON?
  /// The whole database before the request.
  package var data: Node
  /// The place that is read; for a write the place of the first change.
  package var path: Path
  /// The changes: one, or several of one multi-path update; none for a read.
  package var changes: [Change]
  /// The `now` of rules.
  package var nowMilliseconds: Int64
  /// The `query` of rules, for a read that needs one.
  package var query: Query?

  /// The database after the request.
  package var dataAfter: Node {
    changes.reduce(data) { tree, change in
      guard change.isPriority else { return tree.replacing(change.path, with: change.value) }
      let there = tree[change.path]
      return there.isEmpty ? tree : tree.replacing(change.path, with: there.with(priority: change.value.priority))
    }
  }

  /// The decision of the rules, from the evaluator that serves requests.
  package func decision(by rules: RuleSet, detail: DecisionDetail = []) -> Decision {
    guard !changes.isEmpty else {
      return rules.decideRead(
        ReadRequest(path: path, root: data, auth: auth, nowMilliseconds: nowMilliseconds, query: query),
        detail: detail)
    }
    return rules.decideWrite(
      WriteRequest(
        oldRoot: data, newRoot: dataAfter,
        locations: changes.map { Location(path: $0.path, isPriority: $0.isPriority) }, auth: auth,
        nowMilliseconds: nowMilliseconds), detail: detail)
  }
}
