extension RuleSet {
  /// Decides, with all that leads to it; nil when it takes more than so many steps.
  package func traced(_ request: RulesRequest, stepsMax: Int) -> Decision? {
    var decider = decider(of: request, detail: .trace)
    decider.context.decisionStepsLeft = stepsMax
    var decision = decide(request, &decider)
    decision.trace = decider.trace
    return decider.context.decisionStepsLeft > 0 ? decision : nil
  }

  /// Decides if it takes no more than so many steps; nil when it takes more.
  package func decide(_ request: RulesRequest, stepsMax: Int) -> Decision? {
    var decider = decider(of: request)
    decider.context.decisionStepsLeft = stepsMax
    let decision = decide(request, &decider)
    return decider.context.decisionStepsLeft > 0 ? decision : nil
  }

  private func decider(of request: RulesRequest, detail: DecisionDetail = []) -> Decider {
    switch request {
    case .read(let request): decider(of: request, detail: detail)
    case .write(let request): decider(of: request, isTracing: detail.contains(.trace))
    }
  }

  private func decide(_ request: RulesRequest, _ decider: inout Decider) -> Decision {
    switch request {
    case .read(let request): decider.grant(.read, from: root, to: request.path)
    case .write(let request): decide(request, &decider)
    }
  }

  /// Decides, and gives every look at the data, in order, and whether `auth` was looked at. Nil when there are more of
  /// them than a record holds, or when it takes too long.
  func notingReads(_ request: RulesRequest) -> (reads: [Observation.Read], usesAuth: Bool)? {
    var decider = decider(of: request)
    decider.noteReads()
    decider.context.decisionStepsLeft = RulesLimits.recordStepsMax
    _ = decide(request, &decider)
    guard decider.context.decisionStepsLeft > 0, let reads = decider.reads else { return nil }
    return (reads, decider.context.dependencies?.usesAuth ?? true)
  }
}
