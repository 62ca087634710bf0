import HearthTree

/// The evaluations of live queries in the background, after their location was replaced. One runs at a time.
struct LiveEvaluations {
  /// The most evaluations in a row that changes of the location invalidate; after them the query is evaluated on the
  /// deciding queue.
  static let invalidatedMax = 3

  /// The evaluation to begin; nil when there is none.
  var next: LargeQuery?
  /// True from the choice of an evaluation until the engine uses its result.
  var isUnderWay = false
  /// The locations whose evaluations wait for the current one to end.
  var waiting: [ListenNode] = []
  /// The number of evaluations in a row that changes of the location invalidated.
  var invalidatedCount = 0
  /// The results that the current batch may use.
  var results: [EvaluatedQuery] = []
}

extension LiveQueries {
  /// Returns true when the update of a live query waits for its evaluation in the background: its location was
  /// replaced, and the query examines many children.
  ///
  /// - Parameter payer: The client that pays for the evaluation.
  mutating func setsAside(_ group: QueryGroup, paidBy payer: WorkPayer?, _ state: DatabaseState) -> Bool {
    guard limits.evaluatesInBackground, let locationQueries = group.node.locationQueries,
      group.versionNumber < locationQueries.backlog.number
    else { return false }
    let (path, query) = (group.node.path, group.shownQuery)
    let (data, index) = (state.root[path], locationQueries.index(by: query.effectiveOrder))
    guard QueryResult(query, of: data, index: index).childrenReadMax > limits.inlineQueriedChildrenMax,
      locationQueries.backlog.changes(since: group.versionNumber, to: data)?.children == nil,
      evaluation(of: query, at: path, data) == nil, evaluations.invalidatedCount < LiveEvaluations.invalidatedMax
    else { return false }
    guard !evaluations.isUnderWay else { return true }
    evaluations.isUnderWay = true
    evaluations.next = LargeQuery(
      command: Command(connection: payer?.connection ?? ConnectionID(rawValue: 0), action: .tick), path: path,
      query: query, node: data, index: index, makesIndex: false, isListen: true)
    return true
  }

  /// Returns the result of a query that was evaluated in the background, updated to the present version of its
  /// location; nil when there is none.
  mutating func evaluation(of query: Query, at path: Path, _ data: Node) -> (window: QueryWindow, result: Node)? {
    let slot = evaluations.results.firstIndex { $0.query.path == path && $0.query.query == query }
    guard let slot else { return nil }
    guard evaluations.results[slot].follow(to: data, cost: &cost) else {
      evaluations.results.remove(at: slot)
      evaluations.invalidatedCount += 1
      return nil
    }
    return evaluations.results[slot].shown
  }

  /// Returns the evaluation to begin in the background.
  mutating func takeEvaluation() -> LargeQuery? {
    defer { evaluations.next = nil }
    return evaluations.next
  }

  /// Ends an evaluation, so that its location is updated next.
  mutating func end(_ evaluation: EvaluatedQuery) {
    outdated = evaluations.waiting + outdated
    (evaluations.waiting, evaluations.isUnderWay, evaluations.results) = ([], false, [evaluation])
  }
}
