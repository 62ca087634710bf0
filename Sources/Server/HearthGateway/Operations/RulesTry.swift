import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree

/// What rules say of one request, with all that led to it. Nothing is written, logged as a denial or counted as traffic.
package struct RulesTry: Sendable {
  /// The reason why it was decided so.
  package let explanation: Explanation
  /// The request with the data that the rules looked at; nil when that is too much to keep.
  package let record: RecordedRequest?
  /// True when the rules looked at nothing that was not there to be looked at.
  package let isComplete: Bool

  /// A request on data that is there.
  ///
  /// - Parameters:
  ///   - json: one of `read`, `write`, `delete` and `update` names the path, with `query` or `value`, `auth` and `now`, as
  ///     ``RulesDecisions`` takes them.
  ///   - nowMilliseconds: the time unless the request names one.
  /// - Throws: 400, with what the server would say of the request before it asks any rule.
  package init(
    _ json: JSON, on root: Node, by rules: RuleSet, nowMilliseconds: Int64
  ) throws(RESTFailure) {
    let auth = json["auth"].flatMap { $0 == .null ? nil : $0 }
    guard auth == nil || auth?.members != nil else {
      throw RESTFailure(400, "auth must be an object, what rules see as such; null is nobody")
    }
    let (request, prepared, _) = try ProposedRequest.described(by: json, on: root, nowMilliseconds: nowMilliseconds)
    guard let decision = rules.withExpressions.traced(prepared, stepsMax: RulesLimits.explainStepsMax) else {
      throw .tooManySteps
    }
    explanation = Explanation(operation: request.word, path: request.path, decision: decision)
    record = RecordedRequest(prepared, by: rules)
    isComplete = true
  }

  /// A denied request on the data of its moment, as far as that was kept.
  ///
  /// - Throws: 400 when it takes too much to decide.
  package init(_ denial: DenialRecords.Record, _ request: RecordedRequest, by rules: RuleSet) throws(RESTFailure) {
    guard let (decision, isComplete) = request.decided(by: rules) else { throw .tooManySteps }
    explanation = Explanation(operation: denial.operation, path: denial.path, decision: decision)
    record = request
    self.isComplete = isComplete
  }

  /// - Throws: 400 for what is no request.
  package static func check(_ json: JSON) throws(RESTFailure) { _ = try ProposedRequest(json) }

  /// Rules of a text that is in force nowhere.
  ///
  /// - Throws: 400, with each mistake on a line.
  package static func rules(_ text: String) throws(RESTFailure) -> RuleSet { try RuleSet.uploaded(text) }
}

extension RESTFailure {
  fileprivate static let tooManySteps = RESTFailure(
    400, "it takes more than \(RulesLimits.explainStepsMax) steps to decide")
}

extension RulesStore {
  /// The text of a version of a database's rules.
  ///
  /// - Throws: 404 when there is none of that number.
  package func source(ofVersion id: Int64, of database: Database) async throws(RESTFailure) -> String {
    try await version(id, of: database).source
  }
}
