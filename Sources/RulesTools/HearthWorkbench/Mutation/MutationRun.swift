import HearthExposure
import HearthRules
import HearthTree

/// A run of mutation testing: it changes the rules of a file one by one, and checks whether tests detect each change.
package struct MutationRun {
  private let rules: RuleSet
  private let tests: [RulesTestFile]
  private let nowMilliseconds: Int64
  private let bytesMax: Int

  /// Creates a run.
  ///
  /// - Parameters:
  /// - rules: The rules, compiled with `keepsExpressions`. All tests must pass with them.
  /// - tests: The tests to check.
  /// - nowMilliseconds: The earliest time of generated requests.
  /// - bytesMax: The maximum total size in UTF-8 bytes of the mutants' rules. Mutants beyond it are omitted.
  package init(
    _ rules: RuleSet, tests: [RulesTestFile], nowMilliseconds: Int64, bytesMax: Int = WorkbenchLimits.mutantBytesMax
  ) {
    self.bytesMax = bytesMax
    self.rules = rules
    self.tests = tests
    self.nowMilliseconds = nowMilliseconds
  }

  /// Determines the result of every mutant. The most expensive step, the search for a distinguishing request, is only
  /// performed for mutants that no test detects.
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

  /// Returns the result of a mutant.
  ///
  /// - Parameter former: The difference of the previous mutant, whose results about texts are reused.
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
    // Single requests first; then writes as a part of updates, which distinguish rules that read locations other than
    // the written one.
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

  /// Returns the questions about all locations, each for all classes of users at once.
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
    /// No request distinguishes the rules at the location.
    case same
    case unknown
    case different(test: JSON)
  }

  /// Searches for a request that distinguishes the rules at a location.
  ///
  /// - Parameter test: Converts a witness to a test that distinguishes the rules; returns nil when it does not.
  private func answer(
    _ place: ExposureQuestion, _ difference: RulesDifference, test: (ExposureWitness) -> JSON?
  ) -> Answer {
    var isCertain = true
    for identity in classes(place, difference) {
      var question = place
      question.identity = identity
      // Denied requests first: a test of a denied request is more valuable.
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

  /// Returns the classes of users for which questions are asked. When there is no difference for users with any claims,
  /// there is none for any signed-in user.
  private func classes(_ place: ExposureQuestion, _ difference: RulesDifference) -> [ExposureIdentity] {
    let isSame = RulesDifference.Direction.allCases.allSatisfy { direction in
      if case .closed? = difference.verdict(place, direction) { true } else { false }
    }
    return isSame ? [.signedOut] : difference.identities(at: place.location)
  }

  /// Returns the missing test as a test file, after it was read back and run against both rule sets; nil when it does
  /// not distinguish them.
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
