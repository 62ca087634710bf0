import HearthTree

extension LargeQuery {
  /// Leaves a listen to a query, or a `get`, to the background when its evaluation examines many children.
  ///
  /// - Returns: False when it may be evaluated now.
  static func setsAside(_ command: Command, _ path: Path, _ query: Query, in engine: inout Engine) -> Bool {
    let data = engine.state.root[path]
    guard engine.setsAside, data.childCount > engine.limits.inlineQueriedChildrenMax else { return false }
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

extension Engine {
  /// Decides a command whose query was evaluated in the background.
  ///
  /// - Parameter isLast: True to decide in any case, even when the location has changed since the evaluation. A
  ///   listener then receives all data.
  public mutating func settle(_ found: EvaluatedQuery, at instant: Instant, isLast: Bool) -> Batch {
    (queries.found, queries.isLastAttempt) = (found, isLast)
    defer { (queries.found, queries.isLastAttempt, queries.hasExhaustedAttempts) = (nil, false, false) }
    let command = found.query.command
    return decide([command], at: instant, settingAside: true).noting(found.steps, of: command)
  }

  /// Updates a live query that was evaluated in the background, or leaves it to the background again when its location
  /// has changed too much since.
  public mutating func settle(evaluated found: EvaluatedQuery, at instant: Instant) -> Batch {
    queries.end(found)
    defer { queries.evaluations.results = [] }
    var batch = decide([found.query.command], at: instant).noting(found.steps, of: found.query.command)
    batch.isUnsound = batch.isUnsound || found.isIncomplete
    return batch
  }
}
