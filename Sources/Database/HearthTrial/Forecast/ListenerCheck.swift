import HearthEngine
import HearthRules
import HearthTree

/// An evaluation of the current listens with staged rules, which cancels none of them.
public struct ListenerCheck: Sendable {
  private struct Group: Hashable {
    var pattern: String
    // The rule is retained together with its denials, so that its address stays unique.
    var rule: ObjectIdentifier?
  }

  private let staged: RuleSet
  private let limits: TrialLimits
  private var found = ListenerForecast()
  private var groups: [Group: ListenerForecast.Pattern] = [:]

  /// Creates a check with staged rules.
  public init(of staged: RuleSet, limits: TrialLimits = TrialLimits()) {
    self.staged = staged.withoutCounting
    self.limits = limits
  }

  /// Evaluates the staged rules for one listen.
  public mutating func judge(_ listen: StandingListen, on state: DatabaseState, nowMilliseconds: Int64) {
    guard !listen.principal.isAdministrator else { return }
    found.examinedCount += 1
    let request = ReadRequest(
      path: listen.path, root: state.root, auth: listen.principal.auth, nowMilliseconds: nowMilliseconds,
      query: listen.query)
    let (decision, faults) = FaultScope.run(.install) { staged.decide(.read(request), stepsMax: limits.stepsMax) }
    guard let decision, !faults.isIncomplete else {
      found.undecidedCount += 1
      return
    }
    if !decision.isAllowed { add(listen, deniedBy: decision.rule, state.rules) }
  }

  private mutating func add(_ listen: StandingListen, deniedBy rule: RuleReference?, _ current: RuleSet) {
    found.cancelledCount += 1
    let pattern = PathPattern.of(listen.path, in: [staged, current])
    let group = Group(pattern: pattern, rule: rule.map { ObjectIdentifier($0.rule) })
    guard groups[group] != nil || groups.count < limits.forecastGroupsMax else {
      found.unlistedCount += 1
      return
    }
    let uid = listen.principal.uid.map(ReportText.of)
    var listed = groups[group] ?? ListenerForecast.Pattern(pattern: pattern, stagedRule: rule)
    listed.count += 1
    if listen.hasQuery { listed.queryCount += 1 }
    if listed.uids.count < limits.samplesMax, !listed.uids.contains(uid) { listed.uids.append(uid) }
    groups[group] = listed
  }

  /// The findings so far.
  public var forecast: ListenerForecast {
    var forecast = found
    forecast.patterns = groups.values.sorted { ($1.count, $0.pattern) < ($0.count, $1.pattern) }
    return forecast
  }
}
