import HearthTree

/// Listeners of live queries are told what ``LiveQueries`` found.
extension Engine {
  /// Brings what is kept for live queries at a place up to date with a commit, and tells who listens.
  mutating func shift(_ shift: FanOut.Shift, of commit: Commit) {
    let outcome = queries.follow(shift, of: commit, state.rules, &listens)
    for (group, event) in outcome.events { tell(group, event) }
    QuerySlice.begin(shift.node, in: &self)
    tellAll(outcome.degraded, deciding: .data(position: state.position))
    // Unless the last of its listens has taken the place along.
    if shift.node.shelf != nil { listens.prune(shift.node) }
  }

  /// Tells the listens of a group, after those whose permission time has taken were cancelled.
  mutating func tell(_ group: QueryGroup, _ event: Event) {
    let stale = group.audience.clockListens.filter { $0.decidedWallMilliseconds != now.wallMilliseconds }
    if !stale.isEmpty { decideAgain(stale, because: .clock) }
    guard !group.audience.isEmpty else { return }
    let recipients = redecisions.recipients(of: event, in: group.audience, at: group, state)
    group.lastPosition = event.position
    if !recipients.isEmpty { effects.append(.queryEvent(event, to: recipients)) }
  }

  /// Sends all that they show now to groups that show something else from now on.
  ///
  /// - Parameter cause: Decides the listens again before; nil when that is done.
  mutating func tellAll(_ groups: [QueryGroup], deciding cause: Cancellation?) {
    if let cause { decideAgain(groups.flatMap(\.audience.listens), because: cause) }
    for group in groups {
      guard !group.audience.isEmpty else { continue }
      let path = group.node.path
      tell(group, Event(path: path, change: .put(result(of: group, at: path)), position: state.position))
    }
  }

  /// What the listens of a group are sent when they begin, or when it can no longer be told as a change.
  mutating func result(of group: QueryGroup, at path: Path) -> Node {
    queries.result(of: group, at: path, state.root[path], state.rules, &listens)
  }
}
