import HearthTree

extension RuleSet {
  /// Whether the rules let this read happen: the first `.read` that is true, from the root down to the path, grants
  /// it. Rules below the path are not asked.
  public func decideRead(_ request: ReadRequest, detail: DecisionDetail = []) -> Decision {
    var decider = decider(of: request, detail: detail)
    var decision = decider.grant(.read, from: storage.root, to: request.path)
    if decision.isAllowed, detail.isEmpty { return decision }
    if !decision.isAllowed { decision.denied = DeniedRequest(rules: self, request: .read(request)) }
    if detail.isEmpty { return decision }
    decision.trace = decider.trace
    decision.dependencies = decider.context.dependencies
    return decision
  }

  func decider(of request: ReadRequest, detail: DecisionDetail = []) -> Decider {
    var context = EvaluationContext(
      auth: request.auth, nowMilliseconds: request.nowMilliseconds, query: request.query,
      place: Place(old: request.root, new: request.root))
    if detail.contains(.dependencies) { context.dependencies = ReadDependencies() }
    context.place.move(to: request.path)
    return Decider(context: context, isTracing: detail.contains(.trace), coverage: storage.coverage)
  }
}
