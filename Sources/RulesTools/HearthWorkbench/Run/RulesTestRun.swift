import HearthEngine
import HearthRules
import HearthTree

/// Runs the cases of a test file against rules, without a server.
package enum RulesTestRun {
  /// The answers to all cases of a file, in its order.
  package static func run(_ file: RulesTestFile, rules: RuleSet) -> [RulesTestResult] {
    file.cases.map { run($0, data: file.data, rules: rules) }
  }

  /// The answer to one case. Steps are taken until one fails: what comes after would find another state than was meant.
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

/// What became of a case.
package struct RulesTestResult: Sendable {
  /// The reason why a step failed.
  package enum Reason: Sendable {
    /// The rules allowed what they were to deny, or the other way about.
    case verdict(Decision)
    /// Another rule decided.
    case decider(Decision, expected: ExpectedRule)
    /// The server would not have asked the rules.
    case impossible(Failure)
  }

  /// The step that failed.
  package struct FailedStep: Sendable {
    /// Among the case's steps, from 0.
    package var stepIndex: Int
    /// Why.
    package var reason: Reason
    /// What was asked, to be asked again with a trace; nil when nothing could be asked.
    package var request: RulesRequest?
  }

  /// What was tried.
  package var testCase: RulesTestCase
  /// nil when every step came out as expected.
  package var failure: FailedStep?
}

extension Decision {
  /// What an administrator may do is nothing that rules are asked about.
  fileprivate static let administrator = Decision(outcome: .granted, rule: nil, path: .root)
}
