import HearthEngine
import HearthRules
import HearthTree

/// A failed case as text.
struct FailureText {
  private let result: RulesTestResult
  private let failure: RulesTestResult.FailedStep
  private let file: RulesTestReport.File

  /// Creates the text of a failed case; nil for a case that passed.
  init?(_ result: RulesTestResult, in file: RulesTestReport.File) {
    guard let failure = result.failure else { return nil }
    self.result = result
    self.failure = failure
    self.file = file
  }

  private var step: RulesTestStep { result.testCase.steps[failure.stepIndex] }

  /// The position of the step: `tests.yaml:31:5`.
  var place: (line: Int, column: Int) {
    let position = file.test.document.position(of: step.place)
    return (position.line, position.column)
  }

  /// The step when there are several, such as `step 3, bob reads /rooms/r1`; otherwise only the request.
  var request: String {
    guard result.testCase.steps.count > 1 else { return step.label }
    return "step \(failure.stepIndex + 1), \(step.label)"
  }

  /// The failure in one sentence.
  var summary: String {
    switch failure.reason {
    case .verdict(let decision):
      decision.isAllowed ? "expected deny, but the rules allow it" : "expected allow, but the rules deny it"
    case .decider(let decision, let expected):
      "expected \(expected.name ?? "no rule") to decide, but \(decision.rule?.name ?? "no rule") did"
    case .impossible(let failure): "the server refuses it before it evaluates a rule: \(failure.message)"
    }
  }

  /// The decision of the rules; nil when they were not evaluated.
  var decision: Decision? {
    switch failure.reason {
    case .verdict(let decision), .decider(let decision, _): decision
    case .impossible: nil
    }
  }

  /// The explanation of the decision; nil when the rules were not evaluated.
  private var explanation: Explanation? {
    guard let request = failure.request, !step.user.isAdministrator else { return nil }
    // The decision is repeated with a trace, without counting coverage again.
    let decision = file.rules.withExpressions.decide(request, detail: .trace)
    return Explanation(operation: step.request.word, path: step.request.path, decision: decision)
  }

  /// Returns the lines of the explanation: each rule that was evaluated, with carets below the deciding part.
  func trace(isColored: Bool = false) -> [String] {
    guard let explanation else { return [] }
    let lines = explanation.rendered(file: file.rulesFile, isColored: isColored).split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.reversed().drop { $0.isEmpty }.reversed().map(String.init)
  }
}
