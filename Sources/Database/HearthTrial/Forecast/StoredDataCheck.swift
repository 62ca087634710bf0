import HearthEngine
import HearthRules
import HearthTree

/// A search for stored data that violates staged `.validate` rules, in slices.
public struct StoredDataCheck: ~Copyable {
  private struct Group: Hashable {
    var pattern: String
    var rule: ObjectIdentifier
  }

  private let files: [RuleSet]
  private let limits: TrialLimits
  private var walk: StoredDataValidator
  private var found = DataForecast()
  private var groups: [Group: DataForecast.Failure] = [:]

  /// Creates the search.
  ///
  /// - Parameter state: The state to check, which stays in memory until the search ends.
  public init(of staged: RuleSet, on state: DatabaseState, nowMilliseconds: Int64, limits: TrialLimits = TrialLimits())
  {
    let (staged, current) = (staged.withoutCounting, state.rules.withoutCounting)
    files = [staged, current]
    self.limits = limits
    walk = StoredDataValidator(of: state.root, staged: staged, current: current, nowMilliseconds: nowMilliseconds)
  }

  /// True when all data has been checked.
  public var isAtEnd: Bool { walk.isAtEnd }

  /// Checks the next slice.
  public mutating func advance() {
    var failures: [StoredDataValidator.Failure] = []
    let faults = FaultScope.run(.stream) { walk.advance(steps: limits.forecastSteps) { failures.append($0) } }.faults
    // Without a page that cannot be read, nothing is known of the slice.
    if !faults.isIncomplete { for failure in failures { add(failure) } }
    found.checkedCount = walk.checkedCount
    found.progress = walk.progress
  }

  private mutating func add(_ failure: StoredDataValidator.Failure) {
    if failure.usesAuth {
      found.dependsOnAuthCount += 1
      return
    }
    if failure.usesClock {
      found.dependsOnTimeCount += 1
      return
    }
    found.failedCount += 1
    if failure.isFailingAlready { found.alreadyFailingCount += 1 }
    let group = Group(
      pattern: PathPattern.of(failure.path, in: files), rule: ObjectIdentifier(failure.rule.rule))
    guard groups[group] != nil || groups.count < limits.forecastGroupsMax else {
      found.unlistedCount += 1
      return
    }
    var listed = groups[group] ?? DataForecast.Failure(pattern: group.pattern, rule: failure.rule)
    listed.count += 1
    if failure.isFailingAlready { listed.alreadyFailingCount += 1 }
    if listed.paths.count < limits.samplesMax { listed.paths.append(ReportText.of(failure.path.description)) }
    groups[group] = listed
  }

  /// The findings so far.
  public var forecast: DataForecast {
    var forecast = found
    forecast.failures = groups.values.sorted { ($1.count, $0.pattern) < ($0.count, $1.pattern) }
    return forecast
  }
}
