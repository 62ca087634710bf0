import HearthTree

extension RuleSet {
  /// Decides a read: the first `.read` that is true, from the root down to the path, grants it. Rules below the path
  /// are not evaluated.
  public func decideRead(_ request: ReadRequest, detail: DecisionDetail = []) -> Decision {
    withDecider(of: request) { decider in
      decider.watch(isTracing: detail.contains(.trace), coverage: storage.coverage)
      if detail.contains(.dependencies) { decider.context.notes = ReadRecorder() }
      let verdict = decider.grant(.read, from: storage.root)
      var decision = decider.decision(verdict)
      if !verdict.isAllowed { decision.denied = DeniedRequest(rules: self, request: .read(request)) }
      decision.stepCount = RulesLimits.stepsPerDecisionMax - decider.context.decisionStepsLeft
      if detail.isEmpty { return decision }
      decision.trace = decider.trace
      decision.dependencies = decider.context.notes?.before
      return decision
    }
  }

  /// Returns the decision that refuses a read; nil when the rules allow it. The result is the same as that of
  /// ``decideRead(_:detail:)``, for callers that need no details of an allowed request, which makes it about ten times
  /// as fast.
  public func refusal(of request: ReadRequest) -> Decision? {
    var stepsTaken = 0
    return refusal(of: request, stepsTaken: &stepsTaken)
  }

  /// Returns the same as ``refusal(of:)``, and adds the number of steps to `stepsTaken`.
  public func refusal(of request: ReadRequest, stepsTaken: inout Int) -> Decision? {
    withDecider(of: request) { decider in
      if let coverage = storage.coverage { decider.watch(isTracing: false, coverage: coverage) }
      let verdict = decider.grant(.read, from: storage.root)
      stepsTaken += RulesLimits.stepsPerDecisionMax - decider.context.decisionStepsLeft
      if verdict.isAllowed { return nil }
      var decision = decider.decision(verdict)
      decision.denied = DeniedRequest(rules: self, request: .read(request))
      return decision
    }
  }

  @inline(__always)
  func withDecider<Result>(of request: ReadRequest, _ body: (inout Decider) -> Result) -> Result {
    // The rule set must be kept alive, because a verdict has an unmanaged reference to a rule.
    withExtendedLifetime(self) {
      EvaluationContext.with(
        auth: request.auth, nowMilliseconds: request.nowMilliseconds, query: request.query, old: request.root,
        new: request.root
      ) { context in
        var decider = Decider(context)
        return request.path.keys.withUnsafeBufferPointer { keys in
          decider.context.place.move(to: keys, sharing: 0)
          return body(&decider)
        }
      }
    }
  }
}
