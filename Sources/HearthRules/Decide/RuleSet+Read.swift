import HearthTree

extension RuleSet {
  /// Whether the rules let this read happen: the first `.read` that is true, from the root down to the path, grants
  /// it. Rules below the path are not asked.
  public func decideRead(_ request: ReadRequest, detail: DecisionDetail = []) -> Decision {
    var context = EvaluationContext(
      auth: request.auth, nowMilliseconds: request.nowMilliseconds, query: request.query,
      place: Place(old: request.root, new: request.root))
    if detail.contains(.dependencies) { context.dependencies = ReadDependencies() }
    context.place.move(to: request.path)
    var decider = Decider(context: context, isTracing: detail.contains(.trace))
    if detail.isEmpty { return decider.grant(.read, from: storage.root, to: request.path) }
    var decision = decider.grant(.read, from: storage.root, to: request.path)
    decision.visited = decider.visited
    decision.dependencies = decider.context.dependencies
    return decision
  }
}
