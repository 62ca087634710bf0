import HearthRules
import HearthTree

/// Live queries: one window for all listens with the same query to the same place, and the orders of children that queries
/// need. The windows and orders lie in the ``ListenIndex``; here is what makes them, and moves them along with commits.
struct LiveQueries {
  let limits: EngineLimits
  var faults: EngineFaults = []
  /// What windows and orders have cost so far.
  var cost = QueryCost()
  /// Orders that were worked out beside the large write that is being settled.
  var ready: [PlaceIndex] = []
  /// The query of the command that is being settled, as it was worked out beside the other commands; nil when there is none.
  var found: FoundQuery?
  /// Places with live queries that are still to be brought past commits.
  var behind: [ListenNode] = []

  init(limits: EngineLimits) { self.limits = limits }

  /// What a commit means for the live queries of one place.
  struct Outcome {
    /// The events with their recipients, in order.
    var events: [(group: QueryGroup, event: Event)] = []
    /// Groups that show everything from now on: they are decided again, and told all of it, after the others.
    var degraded: [QueryGroup] = []
  }

  /// The group of a query, which is made when nobody has asked for it yet.
  mutating func group(_ query: Query, at path: Path, _ state: Published, _ listens: inout ListenIndex) -> QueryGroup {
    let node = listens.makeNode(at: path)
    let shelf = listens.makeShelf(at: node)
    if let group = shelf.groups[query] { return group }
    let (data, rules) = (state.root[path], state.rules)
    let order = query.needsIndex ? takeOrder(query.effectiveOrder, at: node, path, data, rules, &listens) : nil
    let isWhole = query.needsIndex ? order == nil : !mayLookAtAll(query, at: path, data, rules)
    let shown = isWhole ? .everything : query
    let index = keptIndex(for: shown, at: path, data, rules, &listens)
    let made = found(shown, at: path, data)?.shown
    let window = made?.window ?? QueryWindow(shown, of: data, index: index, cost: &cost)
    let group = QueryGroup(query, at: node, window: window, order: order, isWhole: isWhole)
    (group.lastPosition, group.versionNumber) = (state.position, shelf.backlog.number)
    shelf.groups.set(query, group)
    return group
  }

  /// The query that was worked out beside the other commands, if it is this one of this version.
  func found(_ query: Query, at path: Path, _ data: Node) -> FoundQuery? {
    guard let found, found.query.path == path, found.query.query == query, found.node.isIdentical(to: data) else {
      return nil
    }
    return found
  }

  /// What the listens of a group are sent when they begin, or when it can no longer be told as a change.
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
