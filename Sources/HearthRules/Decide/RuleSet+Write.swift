import HearthTree

extension RuleSet {
  /// Whether the rules let this write happen.
  ///
  /// Every place that the write replaces needs a `.write` that is true, from the root down to that place. Then every
  /// `.validate` on the way there and at every node that the written value carries must be true; nodes that the write
  /// leaves empty are skipped, with all that is below them. One refusal refuses the whole write. Dependencies are not
  /// recorded here.
  public func decideWrite(_ request: WriteRequest, detail: DecisionDetail = []) -> Decision {
    var decider = decider(of: request, isTracing: detail.contains(.trace))
    var decision = decide(request, &decider)
    decision.trace = decider.trace
    return decision
  }

  /// Decides a write if it takes no more than so many steps; nil when it takes more.
  public func decideWrite(_ request: WriteRequest, stepsMax: Int) -> Decision? {
    guard stepsMax < RulesLimits.stepsPerDecisionMax else { return decideWrite(request) }
    var decider = decider(of: request)
    decider.context.decisionStepsLeft = stepsMax
    let decision = decide(request, &decider)
    return decider.context.decisionStepsLeft > 0 ? decision : nil
  }

  /// Decides a write, and notes what it read outside of what it replaces: the answer holds for any tree in which that is
  /// the same, and what is replaced was the same before.
  ///
  /// - Parameter ownDepthMax: A place further down counts as all that is at this depth above it.
  public func decideWriteNotingReads(
    _ request: WriteRequest, ownDepthMax: Int
  ) -> (decision: Decision, reads: WriteReads) {
    var decider = decider(of: request)
    decider.ownDepthMax = ownDepthMax
    decider.context.dependencies = WriteReads().before
    decider.context.dependenciesAfter = WriteReads().after
    let decision = decide(request, &decider)
    var reads = WriteReads()
    if let before = decider.context.dependencies { reads.before = before }
    if let after = decider.context.dependenciesAfter { reads.after = after }
    return (decision, reads)
  }

  func decider(of request: WriteRequest, isTracing: Bool = false) -> Decider {
    let context = EvaluationContext(
      auth: request.auth, nowMilliseconds: request.nowMilliseconds, query: nil,
      place: Place(old: request.oldRoot, new: request.newRoot))
    return Decider(context: context, isTracing: isTracing, coverage: storage.coverage)
  }

  func decide(_ request: WriteRequest, _ decider: inout Decider) -> Decision {
    var decision = Decision(outcome: .granted, rule: nil, path: .root)
    for location in request.locations {
      decision = decider.decideWrite(of: location, from: storage.root)
      if !decision.isAllowed {
        decision.denied = DeniedRequest(rules: self, request: .write(request))
        break
      }
    }
    return decision
  }
}

/// What the decision of a write read beside what the write replaces. The paths are absolute.
public struct WriteReads: Sendable {
  /// Of the tree before the write.
  public var before = ReadDependencies(countMax: RulesLimits.writeReadsMax)
  /// Of the tree after the write.
  public var after = ReadDependencies(countMax: RulesLimits.writeReadsMax)

  /// Nothing was read.
  public init() {}
}
