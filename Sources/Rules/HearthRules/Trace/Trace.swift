/// A trace of a decision: every rule that was evaluated, in order, with the results of its parts.
public struct Trace: Sendable {
  /// The evaluations of the first rules, and of the last rule.
  public private(set) var visits: [RuleVisit] = []
  /// The number of rules in between that were evaluated and are not kept.
  public private(set) var omittedCount = 0
  /// The number of further sub-expressions that may be recorded.
  private var entriesLeft = RulesLimits.traceEntriesMax

  init() {}

  mutating func add(_ visit: (inout Int) -> RuleVisit) {
    // The last rule is often the one that refused, so it is always kept, with a separate limit.
    if visits.count == RulesLimits.traceRulesMax {
      visits.removeLast()
      omittedCount += 1
    }
    var entriesLeft = max(entriesLeft, RulesLimits.traceEntriesMax / 10)
    visits.append(visit(&entriesLeft))
    self.entriesLeft = min(self.entriesLeft, entriesLeft)
  }
}
