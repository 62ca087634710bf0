/// What happened while the rules decided: every rule that was evaluated, in order, and what each of its parts came to.
public struct Trace: Sendable {
  /// The first rules that were evaluated, and the last.
  public private(set) var visits: [RuleVisit] = []
  /// Rules that were evaluated in between and are not kept.
  public private(set) var omittedCount = 0
  /// Sub-expressions that may still be kept.
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
