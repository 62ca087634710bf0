import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree

/// The evaluation of one request by rules, with its trace. No data is written, no denial logged and no traffic counted.
package struct RulesEvaluation: Sendable {
  /// The explanation of the decision.
  package let explanation: Explanation
  /// The request with the data that the rules read; nil when that is too much to keep.
  package let record: RecordedRequest?
  /// True when all data that the rules read was available.
  package let isComplete: Bool

  /// Evaluates a request on existing data.
  ///
  /// - Parameters:
  ///   - json: one of `read`, `write`, `delete` and `update` names the path, with `query` or `value`, `auth` and `now`,
  ///     as ``RulesDecisions`` takes them.
  ///   - nowMilliseconds: the time unless the request names one.
  /// - Throws: 400, with the server's refusal of the request before it evaluates rules.
  package init(
    _ json: JSON, on root: Node, by rules: RuleSet, nowMilliseconds: Int64
  ) throws(RESTFailure) {
    let auth = json["auth"].flatMap { $0 == .null ? nil : $0 }
    guard auth == nil || auth?.members != nil else {
      throw RESTFailure(400, "auth must be an object, as rules see it, or null for a signed-out client")
    }
    let (request, prepared, _) = try ProposedRequest.described(by: json, on: root, nowMilliseconds: nowMilliseconds)
    guard let decision = rules.withExpressions.traced(prepared, stepsMax: RulesLimits.explainStepsMax) else {
      throw .tooManySteps
    }
    explanation = Explanation(operation: request.word, path: request.path, decision: decision)
    record = RecordedRequest(prepared, by: rules)
    isComplete = true
  }

  /// Evaluates a denied request on the data at its time, as far as that was kept.
  ///
  /// - Throws: 400 when the evaluation takes too many steps.
  package init(_ denial: DenialRecords.Record, _ request: RecordedRequest, by rules: RuleSet) throws(RESTFailure) {
    guard let (decision, isComplete) = request.decided(by: rules) else { throw .tooManySteps }
    explanation = Explanation(operation: denial.operation, path: denial.path, decision: decision)
    record = request
    self.isComplete = isComplete
  }

  /// Checks the form of a request.
  ///
  /// - Throws: 400 for JSON that is no request.
  package static func check(_ json: JSON) throws(RESTFailure) { _ = try ProposedRequest(json) }

  /// Compiles the rules of a text that is not in force.
  ///
  /// - Throws: 400, with each mistake on a line.
  package static func rules(_ text: String) throws(RESTFailure) -> RuleSet { try RuleSet.uploaded(text) }
}

extension RESTFailure {
  fileprivate static let tooManySteps = RESTFailure(
    400, "the rules need more than \(RulesLimits.explainStepsMax) steps to decide")
}

extension RulesStore {
  /// Returns the text of a version of a database's rules.
  ///
  /// - Throws: 404 when there is none of that number.
  package func source(ofVersion id: Int64, of database: Database) async throws(RESTFailure) -> String {
    try await version(id, of: database).source
  }
}
