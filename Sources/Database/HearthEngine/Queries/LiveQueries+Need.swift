import HearthRules
import HearthTree

/// The queries whose evaluation examines many children.
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
    let locationQueries = listens.node(at: path)?.locationQueries
    let group = isListen ? locationQueries?.groups[query] : nil
    if let group, listens.results.result(of: group, from: data) != nil { return nil }
    let order = query.effectiveOrder
    let index = locationQueries?.index(by: order)
    let isDeclared = rules.declares(order, at: path)
    var shown = group?.shownQuery ?? query
    if isListen, group == nil {
      let isFiltered =
        query.needsIndex
        ? index != nil || isDeclared || hasRoom(for: data, listens) : mayExamineAll(query, at: path, data, rules)
      if !isFiltered { shown = .everything }
    }
    guard !shown.loadsAllData else { return nil }
    let makesIndex = order != .key && index == nil && (isDeclared || isListen && query.needsIndex)
    let isShort = QueryResult(shown, of: data, index: index).childrenReadMax <= limits.inlineQueriedChildrenMax
    guard makesIndex || isListen && !isShort else { return nil }
    return Need(query: shown, index: index, makesIndex: makesIndex)
  }

  /// Returns true when a query was evaluated in the background and is up to date with its location, or when it must not
  /// be left to the background again.
  mutating func hasFound(_ need: Need, at path: Path, _ data: Node) -> Bool {
    guard var made = found else { return exhaustAttempts() }
    let isSame = made.query.path == path && made.query.query == need.query
    found = nil
    guard isSame, !need.makesIndex || made.index != nil, made.follow(to: data, cost: &cost) else {
      return exhaustAttempts()
    }
    found = made
    return true
  }
  /// Returns true at the last attempt to evaluate a query of a location that changes faster than it can be evaluated. A
  /// listen then receives all data, and a `get` makes no index.
  private mutating func exhaustAttempts() -> Bool {
    hasExhaustedAttempts = isLastAttempt
    return hasExhaustedAttempts
  }
}
