import HearthTree

/// A query that examines many children, with the version of its location.
///
/// Any thread can evaluate it while the engine continues. Then ``Engine/settle(_:at:isLast:)`` decides its command.
public struct LargeQuery: Sendable {
  /// The command as it was submitted.
  package let command: Command
  let path: Path
  /// The query whose result is sent.
  let query: Query
  let node: Node
  /// The index of ``node`` that is kept for the query; nil when there is none.
  let index: ChildIndex?
  /// True when an index has to be built and kept.
  let makesIndex: Bool
  /// True for a listen, which begins with its result. The result of a `get` is built later, by the thread that sends
  /// it.
  let isListen: Bool

  /// Evaluates the query. Pages are not put into the version, which may be larger than the memory.
  public func evaluated() -> EvaluatedQuery {
    var cost = QueryCost()
    let ((index, shown), faults) = FaultScope.run(.stream) { () -> (ChildIndex?, (QueryWindow, Node)?) in
      let made = makesIndex ? ChildIndex(node, by: query.effectiveOrder, cost: &cost) : self.index
      guard isListen else { return (made, nil) }
      let window = QueryWindow(query, of: node, index: made, cost: &cost)
      return (made, (window, QueryResult(query, of: node, index: made).node(cost: &cost)))
    }
    return EvaluatedQuery(
      query: self, node: node, index: index, shown: shown.map { (window: $0.0, result: $0.1) },
      steps: cost.total + EngineLimits.steps(ofReads: faults.count), isIncomplete: faults.isIncomplete)
  }
}

/// The result of a ``LargeQuery``.
public struct EvaluatedQuery: Sendable {
  /// The evaluated query.
  package let query: LargeQuery
  /// The version of the location that the result belongs to.
  private(set) var node: Node
  /// The index of the children; nil when none is kept.
  private(set) var index: ChildIndex?
  /// The window and the data of a listen; nil for a `get`.
  private(set) var shown: (window: QueryWindow, result: Node)?
  /// The number of steps of the evaluation.
  package let steps: Int
  /// True when a page could not be read, so that the result is wrong.
  let isIncomplete: Bool

  /// The most changed children up to which a result is updated. After more changes, the query is evaluated again.
  private static let changesMax = 1_024

  /// Updates the result to a newer version of the location.
  ///
  /// - Returns: False when too much has changed; the result then still belongs to the old version.
  mutating func follow(to data: Node, cost: inout QueryCost) -> Bool {
    var changes: [QueryWindow.ChildChange] = []
    let isWhole = data.walkDifferences(from: node) { key, old, new in
      changes.append(QueryWindow.ChildChange(key: key, old: old, new: new))
      return changes.count <= Self.changesMax
    }
    guard isWhole, data.isInterior == node.isInterior else { return false }
    node = data
    index?.apply(changes, node: data, cost: &cost)
    guard var (window, result) = shown else { return true }
    for step in window.apply(changes, node: data, index: index, cost: &cost) {
      if case .left(let key) = step {
        result = result.replacing(key, with: .empty)
      } else {
        result = result.replacing(step.key, with: data.child(step.key))
      }
    }
    shown = (window, result)
    return true
  }
}
