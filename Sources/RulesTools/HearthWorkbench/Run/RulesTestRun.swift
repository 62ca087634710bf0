import HearthEngine
import HearthRules
import HearthTree

/// A run of the cases of a test file against rules, without a server.
package enum RulesTestRun {
  /// Returns the results of all cases of a file, in its order.
  package static func run(_ file: RulesTestFile, rules: RuleSet) -> [RulesTestResult] {
    file.cases.map { run($0, data: file.data, rules: rules) }
  }

  /// Returns the result of one case. After a failed step, the later steps are not run, because the data would not be as
  /// intended.
  package static func run(_ testCase: RulesTestCase, data: Node, rules: RuleSet) -> RulesTestResult {
    var root = testCase.data ?? data
    for (index, step) in testCase.steps.enumerated() {
      let prepared: RulesRequest
      do throws(Failure) {
        prepared = try step.request.prepared(
          on: root, auth: step.user.auth, nowMilliseconds: step.nowMilliseconds)
      } catch {
        return RulesTestResult(
          testCase: testCase, failure: .init(stepIndex: index, reason: .impossible(error), request: nil))
      }
      let decision = step.user.isAdministrator ? Decision.administrator : rules.decide(prepared)
      if let reason = reason(step, decision) {
        return RulesTestResult(testCase: testCase, failure: .init(stepIndex: index, reason: reason, request: prepared))
      }
      if decision.isAllowed { root = prepared.newRoot }
    }
    return RulesTestResult(testCase: testCase, failure: nil)
  }

  private static func reason(_ step: RulesTestStep, _ decision: Decision) -> RulesTestResult.Reason? {
    guard decision.isAllowed == step.isAllowed else { return .verdict(decision) }
    guard let decider = step.decider, decider.name != decision.rule?.name else { return nil }
    return .decider(decision, expected: decider)
  }
}

/// The result of a case.
package struct RulesTestResult: Sendable {
  /// The reason why a step failed.
  package enum Reason: Sendable {
    /// The rules allowed a request that they should deny, or the reverse.
    case verdict(Decision)
    /// Another rule decided than expected.
    case decider(Decision, expected: ExpectedRule)
    /// The server would refuse the request before evaluating rules.
    case impossible(Failure)
  }

  /// The step that failed.
  package struct FailedStep: Sendable {
    /// The index among the case's steps, from 0.
    package var stepIndex: Int
    /// The reason.
    package var reason: Reason
    /// The request, for a trace; nil when the step has none.
    package var request: RulesRequest?
  }

  /// The case.
  package var testCase: RulesTestCase
  /// The failed step; nil when every step had the expected result.
  package var failure: FailedStep?
}

extension Decision {
  /// The decision for an administrator, whose requests bypass rules.
  fileprivate static let administrator = Decision(outcome: .granted, rule: nil, path: .root)
}
