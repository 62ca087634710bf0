import HearthRules
import HearthTree

/// The delivery of commits, and of the changes that they cause in ``LiveQueries``, to listeners.
enum CommitDelivery {
  /// Sends a commit to its listeners, after listens without permission were cancelled.
  static func announce(_ commit: Commit, in engine: inout Engine) {
    engine.locationRecorder.note(commit)
    let affected = engine.grants.affected(by: commit, countMax: engine.limits.inlineRedecisionListensMax)
    let cause = Cancellation.data(position: commit.position)
    for (node, aspects) in affected.places {
      engine.redecisions.decideAgain(node, aspects, RedecisionHandler.redecision(because: cause, in: &engine))
    }
    RedecisionHandler.decideAgain(affected.listens, because: cause, in: &engine)
    guard !engine.listens.isIdle else { return }
    let fanOut = FanOut(commit, to: engine.listens)
    for delivery in fanOut.deliveries {
      let node = delivery.node
      let stale = node.audience.clockListens.filter { $0.decidedWallMilliseconds != engine.now.wallMilliseconds }
      if !stale.isEmpty { RedecisionHandler.decideAgain(stale, because: .clock, in: &engine) }
      let recipients = engine.redecisions.recipients(of: delivery.event, in: node.audience, at: node, engine.state)
      node.lastPosition = commit.position
      if !recipients.isEmpty { engine.effects.append(.event(delivery.event, to: recipients)) }
    }
    for queryChange in fanOut.queryChanges { Self.updateQueries(queryChange, of: commit, in: &engine) }
  }

  /// Updates the live queries of a location for a commit, and sends events to their listeners.
  static func updateQueries(_ queryChange: FanOut.QueryChange, of commit: Commit, in engine: inout Engine) {
    let outcome = engine.queries.follow(queryChange, of: commit, engine.state.rules, &engine.listens)
    engine.reads.ignoreFailed(engine.queries.unreadIndexCount)
    engine.queries.unreadIndexCount = 0
    for (group, event) in outcome.events { send(group, event, in: &engine) }
    QuerySlice.begin(queryChange.node, in: &engine)
    sendAll(outcome.degraded, deciding: .data(position: engine.state.position), in: &engine)
    // The last listen of the location may have ended meanwhile, which removes its node.
    if queryChange.node.locationQueries != nil { engine.listens.prune(queryChange.node) }
  }

  /// Sends an event to the listens of a group, after those whose permission has expired by time were cancelled.
  static func send(_ group: QueryGroup, _ event: Event, in engine: inout Engine) {
    let stale = group.audience.clockListens.filter { $0.decidedWallMilliseconds != engine.now.wallMilliseconds }
    if !stale.isEmpty { RedecisionHandler.decideAgain(stale, because: .clock, in: &engine) }
    guard !group.audience.isEmpty else { return }
    let recipients = engine.redecisions.recipients(of: event, in: group.audience, at: group, engine.state)
    group.lastPosition = event.position
    if !recipients.isEmpty { engine.effects.append(.queryEvent(event, to: recipients)) }
  }

  /// Sends the complete present data to groups whose query has changed between being filtered by the server and being
  /// sent all data.
  ///
  /// - Parameter cause: The cause of a redecision before; nil when the listens have been decided.
  static func sendAll(_ groups: [QueryGroup], deciding cause: Cancellation?, in engine: inout Engine) {
    if let cause { RedecisionHandler.decideAgain(groups.flatMap(\.audience.listens), because: cause, in: &engine) }
    for group in groups {
      guard !group.audience.isEmpty else { continue }
      let path = group.node.path
      send(
        group,
        Event(path: path, change: .put(result(of: group, at: path, in: &engine)), position: engine.state.position),
        in: &engine)
    }
  }

  /// Returns the complete data for the listens of a group: at their beginning, or when a change cannot be sent as an
  /// event.
  static func result(of group: QueryGroup, at path: Path, in engine: inout Engine) -> Node {
    engine.queries.result(of: group, at: path, engine.state.root[path], engine.state.rules, &engine.listens)
  }
}
