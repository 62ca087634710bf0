import HearthExposure
import HearthRules
import HearthTree

/// Breaks the rules of a file one by one, and looks whether tests notice.
package struct MutationRun {
  private let rules: RuleSet
  private let tests: [RulesTestFile]
  private let nowMilliseconds: Int64

  /// - Parameters:
  ///   - rules: compiled with their expressions. All tests pass on them.
  ///   - tests: what is to notice.
  ///   - nowMilliseconds: requests that the tests lack are no earlier.
  package init(_ rules: RuleSet, tests: [RulesTestFile], nowMilliseconds: Int64) {
    self.rules = rules
    self.tests = tests
    self.nowMilliseconds = nowMilliseconds
  }

  /// What becomes of every mutant. The dearest question, whether a request could tell, is asked only of those that no test
  /// notices.
  package func report() -> MutationReport {
    var entries: [MutationReport.Entry] = []
    for mutant in MutantMaker.mutants(of: rules) {
      guard let broken = mutant.applied(to: rules) else { continue }
      entries.append(.init(mutant: mutant, fate: fate(of: mutant, broken)))
    }
    return MutationReport(entries: entries)
  }

  private func fate(of mutant: RulesMutant, _ broken: RuleSet) -> MutationReport.Fate {
    for file in tests {
      for testCase in file.cases where RulesTestRun.run(testCase, data: file.data, rules: broken).failure != nil {
        return .killed
      }
    }
    let difference = RulesDifference(from: rules, to: broken, nowMilliseconds: nowMilliseconds)
    var isCertain = true
    for question in questions(difference) {
      // First what the rules deny: a test that something is denied is worth more.
      for direction in [RulesDifference.Direction.opened, .closed] {
        switch difference.verdict(question, direction) {
        case nil, .closed: continue
        case .undecided: isCertain = false
        case .open(let witness, _):
          if let test = test(witness, mutant, broken) { return .survived(test: test) }
          isCertain = false
        }
      }
    }
    return isCertain ? .equivalent : .undecided
  }

  /// Single requests first; then writes as a part of updates, which tell rules apart that look beside the written place.
  private func questions(_ difference: RulesDifference) -> [ExposureQuestion] {
    var (single, updates): ([ExposureQuestion], [ExposureQuestion]) = ([], [])
    for location in difference.locations {
      for operation in ExposureOperation.allCases {
        for identity in difference.identities {
          var question = ExposureQuestion(location: location, operation: operation, identity: identity)
          single.append(question)
          guard operation == .write else { continue }
          question.isUpdate = true
          updates.append(question)
        }
      }
    }
    return single + updates
  }

  /// The test that the suite lacks: written as a test file, read back and run against both.
  private func test(_ witness: ExposureWitness, _ mutant: RulesMutant, _ broken: RuleSet) -> JSON? {
    let isAllowed = witness.decision(by: rules).isAllowed
    let name = "\(mutant.rule.pathTemplate) .\(mutant.rule.kind.rawValue): \(mutant.operation.rawValue)"
    guard let test = WitnessCase.test(witness, name: name, isAllowed: isAllowed),
      let file = try? RulesTestReader.read(
        DocumentText(file: "test.json", text: String(decoding: test.text(), as: UTF8.self))),
      let first = file.cases.first,
      RulesTestRun.run(first, data: file.data, rules: rules).failure == nil,
      RulesTestRun.run(first, data: file.data, rules: broken).failure != nil
    else { return nil }
    return test
  }
}
