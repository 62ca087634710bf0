import HearthTree

/// The deferred updates of live queries at locations with many of them. They are made in slices between commands, so
/// that no command waits for more than one slice.
enum QuerySlice {
  /// Updates the writer's live queries after a commit at a location where the others are updated later, so that their
  /// events precede the answer to the write.
  static func begin(_ node: ListenNode, in engine: inout Engine) {
    guard let locationQueries = node.locationQueries, !locationQueries.backlog.isEmpty else { return }
    locationQueries.backlog.payer = engine.redecisions.payer
    let writer = engine.redecisions.payer.flatMap { engine.connections[$0.connection] }
    guard let writer, writer.tagged.count <= engine.limits.inlineQueriesMax else { return }
    let start = engine.queries.cost.total
    for group in writer.tagged.entries.compactMap(\.value.group) where group.node === node {
      guard engine.queries.cost.total &- start < engine.limits.inlineRedecisionStepsMax else { break }
      if engine.queries.setsAside(group, paidBy: engine.redecisions.payer, engine.state) { continue }
      engine.meter.stepsTaken += catchUp(group, in: &engine)
    }
  }

  /// Updates the next live queries, as many as one slice takes; none while the event loops are behind.
  static func next(in engine: inout Engine) {
    guard engine.queries.hasDue else { return }
    var stepsLeft = engine.limits.redecisionStepsPerSlice
    while stepsLeft > 0, let node = engine.queries.outdated.first {
      let writer = node.locationQueries?.backlog.payer
      var (isDone, isWaiting) = (false, false)
      while stepsLeft > 0, !isDone, !isWaiting {
        if let locationQueries = node.locationQueries,
          let slot = locationQueries.backlog.next(queryCount: locationQueries.groups.count)
        {
          let (start, readCount) = (engine.queries.cost.total, engine.reads.count)
          let group = locationQueries.groups.entries[slot].value
          let owner = group.audience.listens.first?.connection
          let payer = owner?.payer(causedBy: writer) ?? writer
          isWaiting = engine.queries.setsAside(group, paidBy: payer, engine.state)
          if isWaiting { locationQueries.backlog.repeatLast() }
          let ownSteps = isWaiting ? 0 : catchUp(group, in: &engine)
          let steps = ownSteps + engine.reads.takeSteps(since: readCount) + engine.queries.cost.total &- start
          engine.meter.add(steps, of: payer)
          stepsLeft -= steps
        } else {
          isDone = true
        }
      }
      engine.meter.endSlice()
      engine.queries.outdated.removeFirst()
      if isWaiting {
        engine.queries.evaluations.waiting.append(node)
      } else if !isDone {
        engine.queries.outdated.append(node)
      }
    }
  }

  /// Updates a group of equal live queries for the commits that they have not yet received.
  ///
  /// - Returns: The number of steps, without those that ``LiveQueries/cost`` counts.
  private static func catchUp(_ group: QueryGroup, in engine: inout Engine) -> Int {
    guard let event = engine.queries.catchUp(group, engine.state, &engine.listens) else {
      return EngineLimits.querySteps
    }
    CommitDelivery.send(group, event, in: &engine)
    return EngineLimits.querySteps + EngineLimits.queryEventSteps
  }
}
