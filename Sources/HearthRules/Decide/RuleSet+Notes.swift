extension RuleSet {
  /// Decides, and gives every look at the data, in order, and whether `auth` was looked at. Nil when there are more of
  /// them than a record holds, or when it takes too long.
  func notingReads(_ request: RulesRequest) -> (reads: [Observation.Read], usesAuth: Bool)? {
    var decider: Decider
    switch request {
    case .read(let read):
      decider = self.decider(of: read)
    case .write(let write):
      decider = self.decider(of: write)
    }
    decider.noteReads()
    decider.context.decisionStepsLeft = RulesLimits.recordStepsMax
    switch request {
    case .read(let read): _ = decider.grant(.read, from: root, to: read.path)
    case .write(let write): _ = decide(write, &decider)
    }
    guard decider.context.decisionStepsLeft > 0, let reads = decider.reads else { return nil }
    return (reads, decider.context.dependencies?.usesAuth ?? true)
  }
}
