import HearthRules
import HearthTree
import RandomTestKit
import Testing

@testable import HearthExposure

/// Compares the prover's verdicts with requests: no random request may be allowed for a closed question, and for an
/// open one the prover's example must be allowed.
struct BruteForce {
  struct Summary {
    var questionCount = 0
    var closedCount = 0
    var openCount = 0
    var undecidedCount = 0
    /// The number of open questions for which a random request is allowed, which measures the strength of this check.
    var openFoundCount = 0
    /// The same number for undecided questions.
    var undecidedFoundCount = 0
    var contradictions: [String] = []

    static func += (a: inout Summary, b: Summary) {
      a.questionCount += b.questionCount
      a.closedCount += b.closedCount
      a.openCount += b.openCount
      a.undecidedCount += b.undecidedCount
      a.openFoundCount += b.openFoundCount
      a.undecidedFoundCount += b.undecidedFoundCount
      a.contradictions += b.contradictions
    }
  }

  /// The number of random requests for each closed question; for others as many requests measure the check's strength.
  var triesPerQuestion = 100
  /// True to measure the strength, which doubles the cost.
  var measuresTeeth = false
  var faults: ExposureFaults = []
  var asksUpdates = true

  static let identities: [ExposureIdentity] = [
    .signedOut, .signedIn, .otherUser, .holder(["admin"], .bool(true)), .holder(["role"], .string("u")), .anyClaims,
    .anyAuth,
  ]

  /// Checks all questions about one random file.
  func run(seed: UInt64) -> Summary {
    var summary = Summary()
    var random = RandomRuleSet(generator: SeededRandom(seed: seed))
    let file = random.file()
    guard let rules = try? RuleSet.compile(file, keepsExpressions: true) else { return summary }
    check(rules, file: file, seed: seed, &summary)
    if Torture.isOn, faults.isEmpty, let first = summary.contradictions.first { Torture.tell(first) }
    return summary
  }

  func check(_ rules: RuleSet, file: String, seed: UInt64, _ summary: inout Summary) {
    let exposure = Exposure(
      of: rules, nowMilliseconds: RandomRuleSet.nowMilliseconds, identities: Self.identities, faults: faults)
    var requests = RandomRequests(rules, generator: SeededRandom(seed: seed &+ 1_000_003))
    let rulesLocations = RulesLocation.all(in: rules)
    if exposure.locations.count != rulesLocations.count {
      summary.contradictions.append("places are missing: seed \(seed), \(file)")
    }
    var rulesLocationOf: [String: RulesLocation] = [:]
    for location in exposure.locations {
      rulesLocationOf[location.template] = rulesLocations.first { $0.isThe(location) }
    }
    let updates = asksUpdates ? exposure.entries(updates: true).filter { $0.question.isUpdate } : []
    for entry in exposure.entries() + updates {
      let question = entry.question
      let name =
        "\(question.location.template) \(question.operation)\(question.isUpdate ? " in an update" : "") by \(question.identity.name), seed \(seed)"
      guard let rulesLocation = rulesLocationOf[question.location.template] else {
        summary.contradictions.append("\(name): no place of \(file)")
        continue
      }
      summary.questionCount += 1
      check(entry.verdict, rulesLocation, question, rules, &requests, &summary) { "\(name): \($0)\n\(file)" }
    }
  }

  private func check(
    _ verdict: ExposureVerdict, _ rulesLocation: RulesLocation, _ question: ExposureQuestion, _ rules: RuleSet,
    _ requests: inout RandomRequests, _ summary: inout Summary, _ report: (String) -> String
  ) {
    func found() -> Attempt? {
      for _ in 0..<triesPerQuestion {
        let attempt = requests.attempt(
          at: rulesLocation, question.operation, by: question.identity, isUpdate: question.isUpdate)
        if let attempt, attempt.isAllowed(by: rules) { return attempt }
      }
      return nil
    }
    switch verdict {
    case .closed:
      summary.closedCount += 1
      if let attempt = found() { summary.contradictions.append(report("closed, but allowed is \(attempt)")) }
    case .open(let witness, _):
      summary.openCount += 1
      let attempt = Attempt(witness)
      if let problem = WitnessCheck.problem(attempt, rulesLocation, question.operation, question.identity, rules) {
        summary.contradictions.append(report("open, but \(problem): \(attempt)"))
      }
      if measuresTeeth, found() != nil { summary.openFoundCount += 1 }
    case .undecided:
      summary.undecidedCount += 1
      if measuresTeeth, found() != nil { summary.undecidedFoundCount += 1 }
    }
  }
}

extension Attempt {
  init(_ witness: ExposureWitness) {
    self.init(auth: witness.auth, data: witness.data, path: witness.path)
    writes = witness.changes.map { Write(path: $0.path, value: $0.value, isPriority: $0.isPriority) }
    nowMilliseconds = witness.nowMilliseconds
    query = witness.query
  }
}

extension RulesLocation {
  func isThe(_ location: ExposureLocation) -> Bool {
    steps.count == location.steps.count
      && zip(steps, location.steps).allSatisfy { mine, theirs in
        switch (mine, theirs) {
        case (.key(let a), .key(let b)): a == b
        case (.wildcard(_, let a), .wildcard(_, let b)): Set(a) == Set(b)
        default: false
        }
      }
  }
}
