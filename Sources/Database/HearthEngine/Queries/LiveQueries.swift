import HearthRules
import HearthTree

/// Live queries: one window for all listens with the same query at the same location, and the indexes of children that
/// queries need. The ``ListenIndex`` stores the windows and indexes; this type creates them, and updates them for
/// commits.
struct LiveQueries {
  let limits: EngineLimits
  var faults: InjectedFaults = []
  /// The cost of windows and indexes so far.
  var cost = QueryCost()
  /// The number of failed reads of indexes that were removed for it. No decision depends on these reads.
  var unreadIndexCount = 0
  /// The indexes that were built in the background with the large write that the current batch commits.
  var ready: [LocationIndex] = []
  /// The background evaluation of the query whose command is being decided; nil when there is none.
  var found: EvaluatedQuery?
  /// True when the command being decided must not be left to the background again.
  var isLastAttempt = false
  /// True when every evaluation of that command's query was invalidated by changes of its location.
  var hasExhaustedAttempts = false
  /// The locations whose live queries must still be updated.
  var outdated: [ListenNode] = []
  /// True while the event loops have many events to send: outdated live queries wait.
  var isDeliveryBehind = false
  /// The evaluations of live queries in the background.
  var evaluations = LiveEvaluations()

  init(limits: EngineLimits) { self.limits = limits }

  /// The result of a commit for the live queries of one location.
  struct Outcome {
    /// The events with their recipients, in order.
    var events: [(group: QueryGroup, event: Event)] = []
    /// Groups that receive all data from now on: they are decided again, and receive it after the others.
    var degraded: [QueryGroup] = []
  }

  /// Returns the group of a query, which is created for the first listen.
  mutating func group(_ query: Query, at path: Path, _ state: DatabaseState, _ listens: inout ListenIndex) -> QueryGroup
  {
    let node = listens.makeNode(at: path)
    let locationQueries = listens.makeLocationQueries(at: node)
    if let group = locationQueries.groups[query] { return group }
    let (data, rules) = (state.root[path], state.rules)
    let order =
      query.needsIndex && !hasExhaustedAttempts
      ? retainIndex(query.effectiveOrder, at: node, path, data, rules, &listens) : nil
    let isUnfiltered =
      hasExhaustedAttempts || query.needsIndex ? order == nil : !mayExamineAll(query, at: path, data, rules)
    let shown = isUnfiltered ? .everything : query
    let index = keptIndex(for: shown, at: path, data, rules, &listens)
    let made = found(shown, at: path, data)?.shown
    let window = made?.window ?? QueryWindow(shown, of: data, index: index, cost: &cost)
    let group = QueryGroup(query, at: node, window: window, order: order, isUnfiltered: isUnfiltered)
    (group.lastPosition, group.versionNumber) = (state.position, locationQueries.backlog.number)
    locationQueries.groups.set(query, group)
    return group
  }

  /// Returns the query that was evaluated in the background; nil when the evaluated query or the version of its
  /// location differs.
  func found(_ query: Query, at path: Path, _ data: Node) -> EvaluatedQuery? {
    found(at: path, data).flatMap { $0.query.query == query ? $0 : nil }
  }

  /// Returns the query that was evaluated in the background; nil when its location or the version of it differs.
  func found(at path: Path, _ data: Node) -> EvaluatedQuery? {
    found.flatMap { $0.query.path == path && $0.node.isIdentical(to: data) ? $0 : nil }
  }

  /// Returns the data for the listens of a group at their beginning, or when a change cannot be sent as an event.
  mutating func result(
    of group: QueryGroup, at path: Path, _ data: Node, _ rules: RuleSet, _ listens: inout ListenIndex
  ) -> Node {
    if let recent = listens.results.result(of: group, from: data) { return recent }
    let index = keptIndex(for: group.shownQuery, at: path, data, rules, &listens)
    let result = result(of: group.shownQuery, data, index)
    listens.results.keep(result, of: group, from: data)
    return result
  }

  mutating func result(of query: Query, _ data: Node, _ index: ChildIndex?) -> Node {
    QueryResult(query, of: data, index: index).node(cost: &cost)
  }
}
