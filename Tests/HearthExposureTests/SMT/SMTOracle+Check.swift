import HearthRules
import RandomTestKit

@testable import HearthExposure

extension SMTOracle {
  struct Summary {
    var caseCount = 0
    var closedCount = 0
    /// The number of the solver's requests that the evaluator allows; ``unconfirmedCount`` counts the others.
    var foundCount = 0
    var unconfirmedCount = 0
    var contradictions: [String] = []

    static func += (a: inout Summary, b: Summary) {
      a.caseCount += b.caseCount
      a.closedCount += b.closedCount
      a.foundCount += b.foundCount
      a.unconfirmedCount += b.unconfirmedCount
      a.contradictions += b.contradictions
    }
  }

  /// Compares prover and solver for a random file.
  static func check(seed: UInt64, faults: ExposureFaults = []) throws -> Summary {
    var random = RandomRuleSet(generator: SeededRandom(seed: 5_000 + seed))
    let file = random.file()
    guard let rules = try? RuleSet.compile(file, keepsExpressions: true) else { return Summary() }
    let prover = Prover(rules, nowMilliseconds: RandomRuleSet.nowMilliseconds, faults: faults)
    var oracle = SMTOracle(rules, seed: seed)
    let rulesLocations = RulesLocation.all(in: rules)
    var asked: [(made: Case, name: String, isClosed: Bool)] = []
    for location in ExposureLocation.all(in: [rules]) {
      guard let rulesLocation = rulesLocations.first(where: { $0.isThe(location) }) else { continue }
      for identity in BruteForce.identities where identity != .anyClaims && identity != .anyAuth {
        for operation in ExposureOperation.allCases {
          let question = ExposureQuestion(location: location, operation: operation, identity: identity)
          guard let verdict = prover.verdict(question) else { continue }
          let isClosed = if case .closed = verdict { true } else { false }
          let name = "\(location.template) \(operation) by \(identity.name), seed \(seed)"
          // Open questions are included to show that the solver finds requests.
          for made in oracle.cases(rulesLocation, operation, identity, count: isClosed ? 3 : 1) {
            asked.append((made, name, isClosed))
          }
        }
      }
    }
    let models = try SMTSolver.solve(asked.map { ($0.made.script, $0.made.names) })
    var summary = Summary()
    for ((made, name, isClosed), model) in zip(asked, models) {
      summary.caseCount += 1
      summary.closedCount += isClosed ? 1 : 0
      guard let model, let attempt = oracle.attempt(made, model) else { continue }
      guard attempt.isAllowed(by: rules) else {
        summary.unconfirmedCount += 1
        continue
      }
      summary.foundCount += 1
      if isClosed { summary.contradictions.append("\(name): closed, but allowed is \(attempt)\n\(file)") }
    }
    return summary
  }
}
