import HearthRules
import HearthTree

/// Grants: a listen lives as long as the rules allow it, and the engine knows the data that this decision depends on.
extension Engine {
  /// Decides whether a principal may listen; returns nil when the rules need not be evaluated.
  mutating func decideListen(
    _ path: Path, _ principal: Principal, _ query: Query? = nil, isAgain: Bool = false
  ) -> Decision? {
    let seen = faults.contains(.noQueryInRules) ? nil : query
    let decision = state.decideRead(path, as: principal, at: now, query: seen, detail: .dependencies)
    if !isAgain { meter.stepsTaken += EngineLimits.redecisionSteps + (decision?.stepCount ?? 0) }
    tap?.noteRead(isAgain ? .listenAgain : .listen, path, seen, principal, state, now, decision?.isAllowed)
    return decision
  }

  /// Sends a commit to its listeners, after listens without permission were cancelled.
  mutating func announce(_ commit: Commit) {
    placeTap.note(commit)
    let affected = grants.affected(by: commit, countMax: limits.redecisionListensInLine)
    let cause = Cancellation.data(position: commit.position)
    for (node, aspects) in affected.places {
      redecisions.decideAgain(node, aspects, redecision(because: cause))
    }
    decideAgain(affected.listens, because: cause)
    guard !listens.isIdle else { return }
    let fanOut = FanOut(commit, to: listens)
    for delivery in fanOut.deliveries {
      let node = delivery.node
      let stale = node.audience.clockListens.filter { $0.decidedWallMilliseconds != now.wallMilliseconds }
      if !stale.isEmpty { decideAgain(stale, because: .clock) }
      let recipients = redecisions.recipients(of: delivery.event, in: node.audience, at: node, state)
      node.lastPosition = commit.position
      if !recipients.isEmpty { effects.append(.event(delivery.event, to: recipients)) }
    }
    for shift in fanOut.shifts { self.shift(shift, of: commit) }
  }
}
