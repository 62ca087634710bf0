import HearthTree

extension RuleSet {
  /// Decides whether the rules let this read happen: the first `.read` that is true, from the root down to the path,
  /// grants it. Rules below the path are not asked.
  public func decideRead(_ request: ReadRequest, detail: DecisionDetail = []) -> Decision {
    withDecider(of: request) { decider in
      decider.watch(isTracing: detail.contains(.trace), coverage: storage.coverage)
      if detail.contains(.dependencies) { decider.context.notes = ReadNotes() }
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

  /// Why the rules do not let this read happen; nil when they do. The same answer as ``decideRead(_:detail:)`` gives,
  /// for those who only want to go on: nothing is told of what is allowed, and so it costs a tenth.
  public func refusal(of request: ReadRequest) -> Decision? {
    withDecider(of: request) { decider in
      if let coverage = storage.coverage { decider.watch(isTracing: false, coverage: coverage) }
      let verdict = decider.grant(.read, from: storage.root)
      if verdict.isAllowed { return nil }
      var decision = decider.decision(verdict)
      decision.denied = DeniedRequest(rules: self, request: .read(request))
      return decision
    }
  }

  @inline(__always)
  func withDecider<Result>(of request: ReadRequest, _ body: (inout Decider) -> Result) -> Result {
    // A verdict refers to a rule without holding it.
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
