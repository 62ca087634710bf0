import HearthTree

/// Deferred updates of live queries: a location with many of them updates them between later commands, for several
/// commits at once. See ``QueryBacklog``.
extension LiveQueries {
  /// True when outdated live queries can be updated now.
  var hasDue: Bool { !outdated.isEmpty && !isDeliveryBehind }

  /// Returns the time, on the monotonic clock, at which waiting updates are tried again; nil when none waits.
  func nextDeadlineMonotonicMilliseconds(at now: Instant) -> Int64? {
    guard isDeliveryBehind, !outdated.isEmpty else { return nil }
    return now.monotonicMilliseconds + EngineLimits.deliveriesCheckMilliseconds
  }

  /// Returns true when the updates of a location's live queries are deferred.
  func isDeferred(_ locationQueries: LocationQueries) -> Bool {
    !locationQueries.backlog.isEmpty || locationQueries.groups.count > limits.inlineQueriesMax
  }

  /// Returns true when the updates of a replaced location's live queries are deferred, which is also the case when
  /// together they examine many children.
  func isDeferred(_ locationQueries: LocationQueries, from old: Node, to new: Node) -> Bool {
    if isDeferred(locationQueries) { return true }
    var stepsLeft = limits.inlineRedecisionStepsMax
    for (_, group) in locationQueries.groups.entries {
      let (query, index) = (group.shownQuery, locationQueries.index(by: group.shownQuery.effectiveOrder))
      for node in [old, new] { stepsLeft -= QueryResult(query, of: node, index: index).childrenReadMax }
      if stepsLeft < 0 { return true }
    }
    return false
  }

  /// Records a commit for live queries whose updates are deferred.
  mutating func note(_ version: QueryBacklog.Version, at node: ListenNode, _ locationQueries: LocationQueries) {
    if locationQueries.backlog.isEmpty { outdated.append(node) }
    locationQueries.backlog.append(version, queryCount: locationQueries.groups.count)
  }

  /// Releases the earlier versions of locations whose live queries are outdated.
  func releaseVersions() {
    for node in outdated + evaluations.waiting { node.locationQueries?.backlog.release() }
  }

  /// Updates a live query to the newest version of its location.
  ///
  /// - Returns: One event for all changes; nil when its result has not changed.
  mutating func catchUp(_ group: QueryGroup, _ state: DatabaseState, _ listens: inout ListenIndex) -> Event? {
    guard let locationQueries = group.node.locationQueries, group.versionNumber < locationQueries.backlog.number else {
      return nil
    }
    let (path, query) = (group.node.path, group.shownQuery)
    let data = state.root[path]
    let changes = locationQueries.backlog.changes(since: group.versionNumber, to: data)
    group.versionNumber = locationQueries.backlog.number
    listens.results.forget(group)
    if let children = changes?.children {
      cost.childrenScanned += children.count
      let index = group.order.flatMap { locationQueries.index(by: $0) }
      let steps = group.window.apply(children, node: data, index: index, cost: &cost)
      return event(of: faults.applied(to: steps), at: path, data, state.position)
    }
    let index = locationQueries.index(by: query.effectiveOrder)
    if let evaluation = evaluation(of: query, at: path, data) {
      evaluations.invalidatedCount = 0
      group.window = evaluation.window
      listens.results.keep(evaluation.result, of: group, from: data)
      return Event(path: path, change: .put(evaluation.result), position: state.position)
    }
    if evaluations.invalidatedCount >= LiveEvaluations.invalidatedMax { evaluations.invalidatedCount = 0 }
    group.window = QueryWindow(query, of: data, index: index, cost: &cost)
    if let version = changes?.version {
      let oldIndex = version.indexes.first { $0.index.order == query.effectiveOrder }?.index
      guard isDifferent(query, version.node, oldIndex, data, index) else { return nil }
    }
    let result = result(of: group, at: path, data, state.rules, &listens)
    return Event(path: path, change: .put(result), position: state.position)
  }

  private func event(of steps: [QueryWindow.Step], at path: Path, _ data: Node, _ position: Int64) -> Event? {
    let entries = steps.map { step in
      if case .left(let key) = step { return Event.Entry(path: Path([key]), node: .empty) }
      return Event.Entry(path: Path([step.key]), node: data.child(step.key))
    }
    guard let first = entries.first else { return nil }
    if entries.count == 1 {
      return Event(path: path.appending(first.path), change: .put(first.node), position: position)
    }
    return Event(path: path, change: .merge(entries), position: position)
  }
}
