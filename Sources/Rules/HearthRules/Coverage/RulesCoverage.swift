import Synchronization

/// The number of evaluations of each part of a rules file, by outcome.
///
/// ``RuleSet/counting(into:)`` returns a rule set that adds to the counts with every decision, on any thread.
public final class RulesCoverage: Sendable {
  /// The rules, as a rule set that does not count.
  public let rules: RuleSet
  /// The counts of a rule, by its number: of each outcome of each site (see ``SiteMap``); empty until it is evaluated.
  private let counts: Mutex<[[UInt64]]>
  private let rulesInOrder: [Rule]

  /// Creates counts of zero.
  ///
  /// - Parameter rules: The rules, compiled with `keepsExpressions`; others cannot be counted.
  public init(of rules: RuleSet) {
    self.rules = rules
    rulesInOrder = rules.allRules.filter { $0.inspection != nil }.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
    counts = Mutex(Array(repeating: [], count: rulesInOrder.count))
  }

  /// Adds the observation of a rule that was just evaluated.
  func add(_ rule: Rule, _ observation: Observation) {
    guard let inspection = rule.inspection else { return }
    counts.withLock { counts in
      guard counts.indices.contains(inspection.number) else { return }
      if counts[inspection.number].isEmpty {
        counts[inspection.number] = Array(repeating: 0, count: inspection.sites.count * ObservedOutcome.allCases.count)
      }
      for (index, outcome) in observation.outcomes {
        counts[inspection.number][Int(index) * ObservedOutcome.allCases.count + Int(outcome.rawValue)] &+= 1
      }
    }
  }

  /// Resets all counts to zero.
  public func reset() {
    counts.withLock { counts in
      for index in counts.indices { counts[index] = [] }
    }
  }

  /// Adds the counts of another coverage of the same rules, or of another compilation of the same file.
  public func add(_ other: RulesCoverage) {
    guard rules.source.utf8.elementsEqual(other.rules.source.utf8) else { return }
    let others = other.counts.withLock { $0 }
    counts.withLock { counts in
      for (rule, added) in zip(counts.indices, others) where !added.isEmpty {
        if counts[rule].isEmpty {
          counts[rule] = added
        } else {
          for index in added.indices where index < counts[rule].count { counts[rule][index] &+= added[index] }
        }
      }
    }
  }

  /// Returns every rule of the file with its counts, in the order of the file.
  public func report() -> [RuleCoverage] {
    let counts = counts.withLock { $0 }
    return rulesInOrder.enumerated().compactMap { number, rule in
      rule.inspection.map { RuleCoverage(rule, $0, counts[number]) }
    }
  }
}
