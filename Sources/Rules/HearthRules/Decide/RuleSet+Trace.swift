extension RuleSet {
  /// Decides with a trace; nil when it takes more than the given number of steps.
  package func traced(_ request: RulesRequest, stepsMax: Int) -> Decision? {
    withDecider(of: request) { decider in
      decider.watch(isTracing: true, coverage: storage.coverage)
      decider.context.decisionStepsLeft = stepsMax
      var decision = decide(request, &decider)
      decision.trace = decider.trace
      return decider.context.decisionStepsLeft > 0 ? decision : nil
    }
  }

  /// Decides a request; nil when it takes more than the given number of steps.
  package func decide(_ request: RulesRequest, stepsMax: Int) -> Decision? {
    withDecider(of: request) { decider in
      decider.watch(isTracing: false, coverage: storage.coverage)
      decider.context.decisionStepsLeft = stepsMax
      let decision = decide(request, &decider)
      return decider.context.decisionStepsLeft > 0 ? decision : nil
    }
  }

  /// Decides a request, and returns every read of the data, in order, and whether `auth` was read; nil when there are
  /// too many reads, or when the decision takes too many steps.
  func recordingReads(_ request: RulesRequest) -> (reads: [Observation.Read], usesAuth: Bool)? {
    withDecider(of: request) { decider in
      decider.watch(isTracing: false, coverage: storage.coverage)
      decider.recordReads()
      decider.context.decisionStepsLeft = RulesLimits.recordStepsMax
      _ = decide(request, &decider)
      guard decider.context.decisionStepsLeft > 0, let reads = decider.reads else { return nil }
      return (reads, decider.context.notes?.before.usesAuth ?? true)
    }
  }

  private func withDecider<Result>(of request: RulesRequest, _ body: (inout Decider) -> Result) -> Result {
    switch request {
    case .read(let request): withDecider(of: request, body)
    case .write(let request): withDecider(of: request, body)
    }
  }

  private func decide(_ request: RulesRequest, _ decider: inout Decider) -> Decision {
    switch request {
    case .read: decider.decision(decider.grant(.read, from: root))
    case .write(let request): decide(request, &decider)
    }
  }
}
