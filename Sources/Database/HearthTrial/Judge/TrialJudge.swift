import HearthEngine
import HearthRules
import HearthTree

/// An evaluator that repeats recorded decisions with staged rules and compares the answers with those of the rules in
/// force.
///
/// It uses the same evaluator on the same inputs. It must not be used by two threads at once.
public struct TrialJudge {
  /// The result of one comparison.
  public enum Verdict: Sendable {
    /// The relevant rules are the same in both files; they were not evaluated.
    case sameRules
    /// The same answer from both rules files.
    case equal
    /// The staged rules took too many steps.
    case undecided
    /// The staged rules give the opposite answer: they reverse the decision.
    case reversed(ReversedDecision)

    /// Returns the trace of a reversed decision, by a second evaluation; nil when the decision is not reversed, and
    /// empty when the trace takes too long.
    public func trace() -> [String]? {
      guard case .reversed(let flip) = self else { return nil }
      return flip.trace()
    }
  }

  /// The staged rules.
  public let staged: RuleSet
  private let stepsMax: Int
  /// The locations whose rules are the same in both files, for the rules that were in force at the last decision.
  private var cached: UnchangedLocations?

  /// Creates an evaluator of staged rules.
  public init(of staged: RuleSet, limits: TrialLimits = TrialLimits()) {
    self.staged = staged.withoutCounting
    stepsMax = limits.stepsMax
  }

  /// Evaluates the staged rules for a recorded decision, and returns the result of the comparison.
  public mutating func judge(_ decided: RecordedDecision) -> Verdict {
    if unchangedLocations(beside: decided.rules).areSame(for: decided.request) { return .sameRules }
    guard let answer = staged.decide(decided.request, stepsMax: stepsMax) else { return .undecided }
    if answer.isAllowed == decided.isAllowed { return .equal }
    let before = decided.rules.withoutCounting.decide(decided.request, stepsMax: stepsMax)
    return .reversed(ReversedDecision(decided, by: staged, answer, before))
  }

  private mutating func unchangedLocations(beside rules: RuleSet) -> UnchangedLocations {
    if let cached, cached.rules.isIdentical(to: rules) { return cached }
    let made = UnchangedLocations(staged, rules)
    cached = made
    return made
  }
}

/// A decision that staged rules reverse.
public struct ReversedDecision: Sendable {
  let decided: RecordedDecision
  let direction: ReversalGroup.Direction
  /// The deciding rule of the staged rules; nil when no rule applies there.
  let stagedRule: RuleReference?
  /// The deciding rule of the rules in force; nil when no rule applies there.
  let rule: RuleReference?
  /// The location whose rules give the opposite answer.
  let path: Path
  /// The pattern of the location in the rules: `/rooms/$room`.
  let pattern: String
  private let staged: RuleSet

  init(_ decided: RecordedDecision, by staged: RuleSet, _ answer: Decision, _ before: Decision?) {
    self.decided = decided
    self.staged = staged
    direction = answer.isAllowed ? .opened : .closed
    (stagedRule, rule) = (answer.rule, before?.rule)
    path = Self.location(of: decided.request, deniedBy: answer.isAllowed ? before : answer)
    pattern = PathPattern.of(path, in: [staged, decided.rules])
  }

  /// Returns the location of a request; for an update of several locations, the first one that the denying rules
  /// refuse.
  private static func location(of request: RulesRequest, deniedBy decision: Decision?) -> Path {
    switch request {
    case .read(let request): return request.path
    case .write(let request):
      let paths = request.locations.map(\.path)
      guard paths.count > 1, let denied = decision?.path else { return paths.first ?? .root }
      return paths.first { denied.contains($0) || $0.contains(denied) } ?? paths[0]
    }
  }

  fileprivate func trace() -> [String] {
    guard let decision = staged.withExpressions.traced(decided.request, stepsMax: RulesLimits.explainStepsMax) else {
      return []
    }
    return TrialTrace.lines(of: decision)
  }
}
