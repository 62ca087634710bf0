import HearthTree

/// The delivery of changes that ``LiveQueries`` finds to listeners of live queries.
extension Engine {
  /// Updates the live queries of a location for a commit, and sends events to their listeners.
  mutating func shift(_ shift: FanOut.Shift, of commit: Commit) {
    let outcome = queries.follow(shift, of: commit, state.rules, &listens)
    for (group, event) in outcome.events { tell(group, event) }
    QuerySlice.begin(shift.node, in: &self)
    tellAll(outcome.degraded, deciding: .data(position: state.position))
    // Its last listen may have removed the node.
    if shift.node.shelf != nil { listens.prune(shift.node) }
  }

  /// Sends an event to the listens of a group, after those whose permission has expired by time were cancelled.
  mutating func tell(_ group: QueryGroup, _ event: Event) {
    let stale = group.audience.clockListens.filter { $0.decidedWallMilliseconds != now.wallMilliseconds }
    if !stale.isEmpty { decideAgain(stale, because: .clock) }
    guard !group.audience.isEmpty else { return }
    let recipients = redecisions.recipients(of: event, in: group.audience, at: group, state)
    group.lastPosition = event.position
    if !recipients.isEmpty { effects.append(.queryEvent(event, to: recipients)) }
  }

  /// Sends all their present data to groups whose form of the result has changed.
  ///
  /// - Parameter cause: The cause of a redecision before; nil when the listens have been decided.
  mutating func tellAll(_ groups: [QueryGroup], deciding cause: Cancellation?) {
    if let cause { decideAgain(groups.flatMap(\.audience.listens), because: cause) }
    for group in groups {
      guard !group.audience.isEmpty else { continue }
      let path = group.node.path
      tell(group, Event(path: path, change: .put(result(of: group, at: path)), position: state.position))
    }
  }

  /// Returns the data for the listens of a group at their beginning, or when a change cannot be sent as an event.
  mutating func result(of group: QueryGroup, at path: Path) -> Node {
    queries.result(of: group, at: path, state.root[path], state.rules, &listens)
  }
}
