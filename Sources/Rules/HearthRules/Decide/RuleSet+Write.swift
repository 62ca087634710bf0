import HearthTree

extension RuleSet {
  /// Decides a write.
  ///
  /// For every location that the write replaces, a `.write` from the root down to the location must be true. Then every
  /// `.validate` from the root to the location, and at every node of the written value, must be true; nodes that are
  /// empty after the write are skipped with everything below them. One refusal refuses the whole write. Dependencies
  /// are not recorded for writes.
  public func decideWrite(_ request: WriteRequest, detail: DecisionDetail = []) -> Decision {
    withDecider(of: request) { decider in
      decider.watch(isTracing: detail.contains(.trace), coverage: storage.coverage)
      var decision = decide(request, &decider)
      decision.trace = decider.trace
      return decision
    }
  }

  /// Returns the decision that refuses a write; nil when the rules allow it. The result is the same as that of
  /// ``decideWrite(_:detail:)``, for callers that need no details of an allowed request.
  public func refusal(of request: WriteRequest) -> Decision? {
    withDecider(of: request) { decider in
      decider.watch(isTracing: false, coverage: storage.coverage)
      return verdict(on: request, &decider) { verdict, decider in
        verdict.isAllowed ? nil : refusal(of: request, verdict, decider)
      }
    }
  }

  /// Decides a write if it takes at most the given number of steps.
  ///
  /// - Parameters:
  /// - stepsMax: The maximum number of steps; those taken are subtracted.
  /// - namesRules: True when an answer that allows the write must name the rules.
  public func answer(to request: WriteRequest, stepsMax: inout Int, namesRules: Bool = false) -> WriteAnswer {
    withDecider(of: request) { decider in
      decider.watch(isTracing: false, coverage: storage.coverage)
      if namesRules { decider.recordGrantingRules() }
      let allowance = min(stepsMax, RulesLimits.stepsPerDecisionMax)
      decider.context.decisionStepsLeft = allowance
      return verdict(on: request, &decider) { verdict, decider in
        let left = decider.context.decisionStepsLeft
        defer { stepsMax -= allowance - left }
        if left <= 0, stepsMax < RulesLimits.stepsPerDecisionMax { return .tooLong }
        return verdict.isAllowed ? .allowed(by: decider.granting) : .refused(refusal(of: request, verdict, decider))
      }
    }
  }

  /// Decides a write, and records its reads outside of the replaced locations. The answer is valid for every tree in
  /// which these reads and the old values of the replaced locations are the same.
  ///
  /// - Parameters:
  /// - ownDepthMax: The maximum depth of a replaced location; for a deeper one, its ancestor at this depth counts as
  ///   replaced.
  /// - namesRules: True when an answer that allows the write must name the rules.
  public func answerRecordingReads(
    to request: WriteRequest, ownDepthMax: Int, namesRules: Bool = false
  ) -> (answer: WriteAnswer, reads: WriteReads, steps: Int) {
    withDecider(of: request) { decider in
      decider.watch(isTracing: false, coverage: storage.coverage)
      if namesRules { decider.recordGrantingRules() }
      var reads = WriteReads()
      let notes = ReadRecorder(before: reads.before, after: reads.after, ownDepthMax: ownDepthMax)
      decider.context.notes = notes
      let decision = decide(request, &decider)
      reads.before = notes.before
      if let after = notes.after { reads.after = after }
      let steps = RulesLimits.stepsPerDecisionMax - decider.context.decisionStepsLeft
      return (decision.isAllowed ? .allowed(by: decider.granting) : .refused(decision), reads, steps)
    }
  }

  /// Returns true when the decision on a write reads the new data at, above or below a path.
  ///
  /// - Parameter stepsMax: The maximum number of steps; when it is exceeded, the result is true.
  package func readsNewData(_ request: WriteRequest, around place: Path, stepsMax: Int) -> Bool {
    withDecider(of: request) { decider in
      decider.context.decisionStepsLeft = stepsMax
      let notes = ReadRecorder(
        before: ReadDependencies(countMax: RulesLimits.writeReadsMax),
        after: ReadDependencies(countMax: RulesLimits.writeReadsMax), ownDepthMax: .max)
      notes.recordsOwn = true
      decider.context.notes = notes
      _ = decide(request, &decider)
      guard decider.context.decisionStepsLeft > 0, let reads = notes.after else { return true }
      return reads.data.keys.contains { $0.contains(place) || place.contains($0) }
    }
  }

  func decide(_ request: WriteRequest, _ decider: inout Decider) -> Decision {
    verdict(on: request, &decider) { verdict, decider in
      verdict.isAllowed ? decider.decision(verdict) : refusal(of: request, verdict, decider)
    }
  }

  private func refusal(of request: WriteRequest, _ verdict: Verdict, _ decider: borrowing Decider) -> Decision {
    var decision = decider.decision(verdict)
    decision.denied = DeniedRequest(rules: self, request: .write(request))
    return decision
  }

  /// Calls `body` with the verdict on the first refused location or, when there is none, on the last location. The
  /// decider is still at this location, whose path it borrows.
  @inline(__always)
  private func verdict<Result>(
    on request: WriteRequest, _ decider: inout Decider, _ body: (Verdict, borrowing Decider) -> Result
  ) -> Result {
    request.locations.withUnsafeBufferPointer { locations in
      for index in locations.indices {
        let shared = index == 0 ? 0 : Self.sharedCount(locations[index - 1].path.keys, locations[index].path.keys)
        let result = locations[index].path.keys.withUnsafeBufferPointer { path -> Result? in
          let verdict = decider.decideWrite(
            of: path, isPriority: locations[index].isPriority, sharing: shared, from: storage.root)
          return verdict.isAllowed && index + 1 < locations.count ? nil : body(verdict, decider)
        }
        if let result { return result }
      }
      return body(Verdict(outcome: .granted, rule: nil, depth: 0), decider)
    }
  }

  private static func sharedCount(_ a: [Key], _ b: [Key]) -> Int {
    var count = 0
    while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
    return count
  }

  @inline(__always)
  func withDecider<Result>(of request: WriteRequest, _ body: (inout Decider) -> Result) -> Result {
    // The rule set must be kept alive, because a verdict has an unmanaged reference to a rule.
    withExtendedLifetime(self) {
      EvaluationContext.with(
        auth: request.auth, nowMilliseconds: request.nowMilliseconds, query: nil, old: request.oldRoot,
        new: request.newRoot
      ) { context in
        var decider = Decider(context)
        return body(&decider)
      }
    }
  }
}

/// The answer of the rules to a write, for callers with a limit of steps.
public enum WriteAnswer: Sendable {
  /// The write is allowed, by these write rules, once each; empty unless they were requested.
  case allowed(by: [RuleReference])
  /// The write is refused, with the decision.
  case refused(Decision)
  /// The decision takes more steps than the maximum.
  case tooLong
}

/// The reads of a write's decision outside of the replaced locations. The paths are absolute.
public struct WriteReads: Sendable {
  /// The reads of the tree before the write.
  public var before = ReadDependencies(countMax: RulesLimits.writeReadsMax)
  /// The reads of the tree after the write.
  public var after = ReadDependencies(countMax: RulesLimits.writeReadsMax)

  /// Creates empty reads.
  public init() {}
}
