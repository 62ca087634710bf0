import HearthRules
import HearthTree

/// A request that the rules allow although somebody asked whether they do.
package struct ExposureWitness: Sendable {
  /// What a write puts at one place.
  package struct Change: Sendable {
    /// Where.
    package var path: Path
    /// What is there afterwards; empty for a delete.
    package var value: Node
    /// The priority alone is written; the value carries it, and is otherwise what was there.
    package var isPriority = false
  }

  /// What rules see as `auth`; nil when signed out.
  package var auth: JSON?
  /// The whole database before the request.
  package var data: Node
  /// What is read; for a write the place of the first change.
  package var path: Path
  /// What is written: one change, or several of one multi-path update; none for a read.
  package var changes: [Change]
  /// What rules see as `now`.
  package var nowMilliseconds: Int64
  /// What rules see as `query`, for a read that needs one.
  package var query: Query?

  /// The database after the request.
  package var dataAfter: Node {
    changes.reduce(data) { tree, change in
      guard change.isPriority else { return tree.replacing(change.path, with: change.value) }
      let there = tree[change.path]
      return there.isEmpty ? tree : tree.replacing(change.path, with: there.with(priority: change.value.priority))
    }
  }

  /// What the rules say to it: the evaluator that serves requests is asked.
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
