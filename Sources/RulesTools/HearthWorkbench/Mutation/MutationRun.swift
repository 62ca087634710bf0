import HearthExposure
import HearthRules
import HearthTree

/// Breaks the rules of a file one by one, and checks whether tests detect it.
package struct MutationRun {
  private let rules: RuleSet
  private let tests: [RulesTestFile]
  private let nowMilliseconds: Int64
  private let bytesMax: Int

  /// - Parameters:
  ///   - rules: compiled with their expressions. All tests pass on them.
  ///   - tests: the tests to check.
  ///   - nowMilliseconds: generated requests are no earlier.
  ///   - bytesMax: the UTF-8 bytes of rules that may be compiled for mutants. Mutants beyond it are left out.
  package init(
    _ rules: RuleSet, tests: [RulesTestFile], nowMilliseconds: Int64, bytesMax: Int = WorkbenchLimits.mutantBytesMax
  ) {
    self.bytesMax = bytesMax
    self.rules = rules
    self.tests = tests
    self.nowMilliseconds = nowMilliseconds
  }

  /// Determines the result of every mutant. The most expensive step, the search for a distinguishing request, is done
  /// only for those that no test detects.
  package func report() -> MutationReport {
    let generator = MutantGenerator.mutants(of: rules, bytesMax: bytesMax)
    var report = MutationReport(entries: [], skipped: generator.skippedCount)
    var difference: RulesDifference?
    for mutant in generator.mutants {
      guard let broken = mutant.applied(to: rules) else { continue }
      report.entries.append(.init(mutant: mutant, result: result(of: mutant, broken, &difference)))
    }
    return report
  }

  /// - Parameter former: the difference that the mutant before made.
  private func result(
    of mutant: RulesMutant, _ broken: RuleSet, _ former: inout RulesDifference?
  ) -> MutationReport.MutantResult {
    for file in tests {
      for testCase in file.cases where RulesTestRun.run(testCase, data: file.data, rules: broken).failure != nil {
        return .killed
      }
    }
    let difference = RulesDifference(from: rules, to: broken, nowMilliseconds: nowMilliseconds, after: former)
    former = difference
    var isCertain = true
    // Single requests first; then writes as a part of updates, which distinguish rules that read places beside the
    // written one.
    for isUpdate in [false, true] {
      for question in places(difference, isUpdate: isUpdate) {
        switch answer(question, difference, test: { test($0, mutant, broken) }) {
        case .same: continue
        case .unknown: isCertain = false
        case .different(let test): return .survived(test: test)
        }
      }
    }
    return isCertain ? .equivalent : .undecided
  }

  /// The questions about all places, each for all classes of users at once.
  private func places(_ difference: RulesDifference, isUpdate: Bool) -> [ExposureQuestion] {
    difference.locations.flatMap { location in
      (isUpdate ? [ExposureOperation.write] : ExposureOperation.allCases).map { operation in
        var question = ExposureQuestion(location: location, operation: operation, identity: .anyClaims)
        question.isUpdate = isUpdate
        return question
      }
    }
  }

  private enum Answer {
    /// No request distinguishes the rules there.
    case same
    case unknown
    case different(test: JSON)
  }

  /// - Parameter test: makes a witness into a test that distinguishes the rules; nil when it does not.
  private func answer(
    _ place: ExposureQuestion, _ difference: RulesDifference, test: (ExposureWitness) -> JSON?
  ) -> Answer {
    var isCertain = true
    for identity in classes(place, difference) {
      var question = place
      question.identity = identity
      // Denied requests first: a test that a request is denied is worth more.
      for direction in [RulesDifference.Direction.opened, .closed] {
        switch difference.verdict(question, direction) {
        case nil, .closed: continue
        case .undecided: isCertain = false
        case .open(let witness, _):
          if let test = test(witness) { return .different(test: test) }
          isCertain = false
        }
      }
    }
    return isCertain ? .same : .unknown
  }

  /// The classes of users to ask about. When users of any claims make no difference, no signed-in user does.
  private func classes(_ place: ExposureQuestion, _ difference: RulesDifference) -> [ExposureIdentity] {
    let isSame = RulesDifference.Direction.allCases.allSatisfy { direction in
      if case .closed? = difference.verdict(place, direction) { true } else { false }
    }
    return isSame ? [.signedOut] : difference.identities(at: place.location)
  }

  /// The missing test: written as a test file, read back and run against both.
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
