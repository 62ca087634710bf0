import Synchronization

/// Counts how often each part of a rules file was evaluated, and with which outcome.
///
/// A rule set that counts is made by ``RuleSet/counting(into:)``; from then on every decision that it makes counts,
/// on any thread.
public final class RulesCoverage: Sendable {
  /// The rules that are counted, without counting themselves.
  public let rules: RuleSet
  /// For each rule by its number, how often each outcome came of each site.
  private let counts: Mutex<[[UInt64]]>
  private let rulesInOrder: [Rule]

  /// Nothing is counted yet.
  ///
  /// - Parameter rules: compiled with `keepsExpressions`; of others nothing can be told.
  public init(of rules: RuleSet) {
    self.rules = rules
    rulesInOrder = rules.allRules.filter { $0.inside != nil }.sorted { ($0.number ?? 0) < ($1.number ?? 0) }
    counts = Mutex(Array(repeating: [], count: rulesInOrder.count))
  }

  /// Adds what was observed of a rule that has just run.
  func add(_ rule: Rule, _ observation: Observation) {
    guard let inside = rule.inside else { return }
    counts.withLock { counts in
      guard counts.indices.contains(inside.number) else { return }
      if counts[inside.number].isEmpty {
        counts[inside.number] = Array(repeating: 0, count: inside.sites.count * NotedOutcome.allCases.count)
      }
      for (index, outcome) in observation.outcomes {
        counts[inside.number][Int(index) * NotedOutcome.allCases.count + Int(outcome.rawValue)] &+= 1
      }
    }
  }

  /// Begins again at zero.
  public func reset() {
    counts.withLock { counts in
      for index in counts.indices { counts[index] = [] }
    }
  }

  /// Adds what another has counted of the same rules, or of another compilation of the same file.
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

  /// Every rule of the file, in the order of the file, with what has been counted so far.
  public func report() -> [RuleCoverage] {
    let counts = counts.withLock { $0 }
    return rulesInOrder.enumerated().compactMap { number, rule in
      rule.inside.map { RuleCoverage(rule, $0, counts[number]) }
    }
  }
}
