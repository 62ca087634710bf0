import HearthRules
import HearthTree

/// A request that the rules allow, as an answer to a question.
package struct ExposureWitness: Sendable {
  /// A change of one location in a write.
  package struct Change: Sendable {
    /// The path.
    package var path: Path
    /// The value afterwards; empty for a delete.
    package var value: Node
    /// True when only the priority is written; `value` is then the old value with the new priority.
    package var isPriority = false
  }

  /// The `auth` of rules; nil when signed out.
  package var auth: JSON?
  /// The whole database before the request.
  package var data: Node
  /// The path that is read; for a write, the path of the first change.
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

  /// Returns the decision of the rules, from the evaluator that is also used for clients' requests.
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
