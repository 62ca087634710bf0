import HearthTree

extension RuleSet {
  /// Whether the rules let this write happen.
  ///
  /// Every place that the write replaces needs a `.write` that is true, from the root down to that place. Then every
  /// `.validate` on the way there and at every node that the written value carries must be true; nodes that the write
  /// leaves empty are skipped, with all that is below them. One refusal refuses the whole write. Dependencies are not
  /// recorded for writes.
  public func decideWrite(_ request: WriteRequest, detail: DecisionDetail = []) -> Decision {
    let context = EvaluationContext(
      auth: request.auth, nowMilliseconds: request.nowMilliseconds, query: nil,
      place: Place(old: request.oldRoot, new: request.newRoot))
    var decider = Decider(context: context, isTracing: detail.contains(.trace))
    var decision = Decision(outcome: .granted, rule: nil, path: .root)
    for location in request.locations {
      decision = decider.decideWrite(of: location, from: storage.root)
      if !decision.isAllowed { break }
    }
    if !decider.visited.isEmpty { decision.visited = decider.visited }
    return decision
  }
}
