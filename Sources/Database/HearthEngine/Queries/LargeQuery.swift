import HearthRules
import HearthTree

/// A query that examines many children, with the version of its location.
///
/// Any thread can evaluate it while the engine goes on. Then ``Engine/settle(_:at:isLast:)`` decides its command.
public struct LargeQuery: Sendable {
  /// The command as the engine got it.
  package let command: Command
  let path: Path
  /// The query whose result is sent.
  let query: Query
  let node: Node
  /// The index of ``node`` that is kept for the query; nil when there is none.
  let index: ChildIndex?
  /// True when an index has to be built and kept.
  let makesIndex: Bool
  /// True for a listen, which begins with its result. The result of a `get` is built where it is sent.
  let isListen: Bool

  /// Evaluates the query.
  public func found() -> FoundQuery {
    var cost = QueryCost()
    let index = makesIndex ? ChildIndex(node, by: query.effectiveOrder, cost: &cost) : index
    var shown: (window: QueryWindow, result: Node)?
    if isListen {
      let window = QueryWindow(query, of: node, index: index, cost: &cost)
      shown = (window, QueryResult(query, of: node, index: index).node(cost: &cost))
    }
    return FoundQuery(query: self, node: node, index: index, shown: shown, steps: cost.total)
  }
}

/// The result of a ``LargeQuery``.
public struct FoundQuery: Sendable {
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
  /// True when the command is not set aside again after changes of its location.
  var isLast = false

  init(query: LargeQuery, node: Node, index: ChildIndex?, shown: (window: QueryWindow, result: Node)?, steps: Int) {
    (self.query, self.node, self.index, self.shown, self.steps) = (query, node, index, shown, steps)
  }

  /// The most changed children up to which a result is updated. After more, the query is evaluated again.
  private static let changesMax = 1_024

  /// Updates the result to a newer version of the location.
  ///
  /// - Returns: False when too much has changed; the result still belongs to the version before.
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

// MARK: - In the engine

extension LargeQuery {
  /// Sets a listen to a query, or a `get`, aside when its evaluation examines many children.
  ///
  /// - Returns: False when it may be evaluated now.
  static func setsAside(_ command: Command, _ path: Path, _ query: Query, in engine: inout Engine) -> Bool {
    let data = engine.state.root[path]
    guard engine.setsAside, data.childCount > engine.limits.queriedChildrenInLine else { return false }
    let isListen = if case .listen = command.action { true } else { false }
    guard let need = engine.queries.need(of: query, at: path, data, engine.state.rules, isListen, engine.listens),
      !engine.queries.hasFound(need, at: path, data)
    else { return false }
    engine.largeCommand = .query(
      LargeQuery(
        command: command, path: path, query: need.query, node: data, index: need.index, makesIndex: need.makesIndex,
        isListen: isListen))
    return true
  }
}

extension LiveQueries {
  /// The evaluation that a query needs.
  struct Need {
    /// The query whose result is sent.
    var query: Query
    /// The index that is kept for it; nil when there is none.
    var index: ChildIndex?
    /// True when an index has to be built and kept.
    var makesIndex: Bool
  }

  /// Returns the evaluation that a query needs; nil when it examines few children, or its result is kept.
  func need(
    of query: Query, at path: Path, _ data: Node, _ rules: RuleSet, _ isListen: Bool, _ listens: borrowing ListenIndex
  ) -> Need? {
    let shelf = listens.node(at: path)?.shelf
    let group = isListen ? shelf?.groups[query] : nil
    if let group, listens.results.result(of: group, from: data) != nil { return nil }
    let order = query.effectiveOrder
    let index = shelf?.index(by: order)
    let isDeclared = rules.declares(order, at: path)
    var shown = group?.shownQuery ?? query
    if isListen, group == nil {
      let isFiltered =
        query.needsIndex
        ? index != nil || isDeclared || hasRoom(for: data, listens) : mayLookAtAll(query, at: path, data, rules)
      if !isFiltered { shown = .everything }
    }
    guard !shown.loadsAllData else { return nil }
    let makesIndex = order != .key && index == nil && (isDeclared || isListen && query.needsIndex)
    let isShort = QueryResult(shown, of: data, index: index).childrenReadMax <= limits.queriedChildrenInLine
    guard makesIndex || isListen && !isShort else { return nil }
    return Need(query: shown, index: index, makesIndex: makesIndex)
  }

  /// Returns true when a query was evaluated in the background and is up to date with its location, or when it may not
  /// be set aside again.
  mutating func hasFound(_ need: Need, at path: Path, _ data: Node) -> Bool {
    guard var made = found else { return false }
    let isSame = made.query.path == path && made.query.query == need.query
    found = nil
    guard isSame, !need.makesIndex || made.index != nil, made.follow(to: data, cost: &cost) else { return made.isLast }
    found = made
    return true
  }
}
