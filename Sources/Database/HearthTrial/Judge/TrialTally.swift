import HearthEngine
import HearthRules

/// The findings of a trial so far, in bounded memory.
public struct TrialTally: Sendable {
  /// A key of reversed decisions that are counted together: the same deciding rules, at locations with the same
  /// pattern.
  private struct Group: Hashable {
    var direction: ReversalGroup.Direction
    var operation: RecordedDecision.Operation
    var pattern: String
    // The rules are retained together with the reversed decisions, so that their addresses stay unique.
    var stagedRule: ObjectIdentifier?
    var rule: ObjectIdentifier?

    init(_ flip: ReversedDecision) {
      (direction, operation, pattern) = (flip.direction, flip.decided.operation, flip.pattern)
      stagedRule = flip.stagedRule.map { ObjectIdentifier($0.rule) }
      rule = flip.rule.map { ObjectIdentifier($0.rule) }
    }
  }

  private let limits: TrialLimits
  private var report: TrialReport
  private var flips: [Group: ReversalGroup] = [:]

  /// Creates an empty tally.
  public init(startedMilliseconds: Int64, limits: TrialLimits = TrialLimits()) {
    self.limits = limits
    report = TrialReport(startedMilliseconds: startedMilliseconds)
  }

  /// Returns true when a trace of this result is needed for an example. A trace requires a second evaluation, so only a
  /// few are made.
  public func wantsExample(of verdict: TrialJudge.Verdict) -> Bool {
    guard case .reversed(let flip) = verdict else { return false }
    guard let known = flips[Group(flip)] else {
      return flips.count < limits.reversalGroupsMax && limits.examplesMax > 0
    }
    guard known.examples.count < limits.examplesMax else { return false }
    let (path, uid) = (ReportText.of(flip.path.description), flip.decided.uid.map(ReportText.of))
    return !known.examples.contains { $0.path == path && $0.uid == uid }
  }

  /// Counts one result.
  ///
  /// - Parameter trace: The trace for an example; nil when none is needed.
  public mutating func add(_ verdict: TrialJudge.Verdict, of decided: RecordedDecision, trace: [String]?) {
    let milliseconds = decided.nowMilliseconds
    report.judgedCount += 1
    report.lastMilliseconds = max(report.lastMilliseconds, milliseconds)
    switch verdict {
    case .sameRules:
      report.equalCount += 1
      report.sameRulesCount += 1
    case .equal: report.equalCount += 1
    case .undecided: report.undecidedCount += 1
    case .reversed(let flip): add(flip, at: milliseconds, trace: trace)
    }
  }

  private mutating func add(_ flip: ReversedDecision, at milliseconds: Int64, trace: [String]?) {
    switch flip.direction {
    case .closed: report.closedCount += 1
    case .opened: report.openedCount += 1
    }
    let group = Group(flip)
    if flips[group] == nil {
      guard flips.count < limits.reversalGroupsMax else {
        report.unlistedReversalCount += 1
        return
      }
      flips[group] = ReversalGroup(
        direction: flip.direction, operation: flip.decided.operation, pattern: flip.pattern,
        stagedRule: flip.stagedRule, rule: flip.rule, firstMilliseconds: milliseconds)
    }
    flips[group]?.count += 1
    flips[group]?.lastMilliseconds = milliseconds
    guard let trace else { return }
    flips[group]?.examples.append(
      TrialExample(
        path: ReportText.of(flip.path.description), uid: flip.decided.uid.map(ReportText.of),
        milliseconds: milliseconds,
        trace: trace))
  }

  /// Returns the findings so far, the most frequent reversals first.
  public func reported(droppedCount: Int) -> TrialReport {
    var report = report
    report.droppedCount = droppedCount
    report.flips = flips.values.sorted {
      ($1.count, $0.pattern, $0.operation.rawValue, $0.firstMilliseconds)
        < ($0.count, $1.pattern, $1.operation.rawValue, $1.firstMilliseconds)
    }
    return report
  }
}

extension TrialJudge {
  /// Repeats one decision with the staged rules, and counts the result.
  public mutating func judge(_ decided: RecordedDecision, into tally: inout TrialTally) {
    let verdict = judge(decided)
    let trace = tally.wantsExample(of: verdict) ? verdict.trace() : nil
    tally.add(verdict, of: decided, trace: trace)
  }
}
