/// A trace of a decision: every rule that was evaluated, in order, with the results of its parts.
public struct Trace: Sendable {
  /// The first rules that were evaluated, and the last.
  public private(set) var visits: [RuleVisit] = []
  /// The number of rules in between that were evaluated and are not kept.
  public private(set) var omittedCount = 0
  /// The number of sub-expressions that may still be kept.
  private var entriesLeft = RulesLimits.traceEntriesMax

  init() {}

  mutating func add(_ visit: (inout Int) -> RuleVisit) {
    // The last one often is the one that refused: it is kept, with room of its own.
    if visits.count == RulesLimits.traceRulesMax {
      visits.removeLast()
      omittedCount += 1
    }
    var entriesLeft = max(entriesLeft, RulesLimits.traceEntriesMax / 10)
    visits.append(visit(&entriesLeft))
    self.entriesLeft = min(self.entriesLeft, entriesLeft)
  }
}
