import HearthEngine
import HearthRules
import HearthTree

/// `POST /.settings/rules/decide.json`: the decisions of the rules in force on requests over the current data, for administrators.
/// No data is written, no denial logged and no traffic counted.
///
/// The body is `{"requests": […]}` with up to ``requestsMax`` of
///
/// * `{"read": PATH, "query": {…}}`, the query as in the realtime protocol;
/// * `{"write": PATH, "value": …}`, and `{"delete": PATH}`;
/// * `{"update": PATH, "value": {PATH: …}}`;
///
/// each with `auth` for the rules (`null` for a signed-out client), and `now`, milliseconds since 1970; without it, the time of the
/// request. The answer is `{"decisions": […], "position": 7}`, one for each in order: `allowed`, the `rule` that decided (`null`
/// when there is none) and a `summary` for display; or `error`, when the server would refuse it before evaluating rules. All are
/// decided on one state of the database, the one after that position.
///
/// With `"rules": TEXT` beside the requests, the rules of that text decide, without being in force.
///
/// With `"at": MOMENT` beside the requests, the rules that were in force at that moment decide, over the data of that moment;
/// requests without `now` see its time; the answer has the `time` of the position where that is kept. With `"explain": true` each
/// decision has its `explanation` and the `text` of it, as for a denial; up to ``explainedMax`` requests then.
struct RulesDecisions {
  /// The maximum number of requests.
  static let requestsMax = 1_000

  /// The maximum number of requests for explanations, each of which is as long as all data that the rules read.
  static let explainedMax = 20

  let call: RESTCall

  func answer() throws(RESTFailure) {
    guard call.request.method == .post else { throw .methodNotAllowed }
    let body = try call.members()
    let isExplained = try body.flag("explain")
    let countMax = isExplained ? Self.explainedMax : Self.requestsMax
    guard let list = body["requests"]?.array, list.count <= countMax else {
      throw RESTFailure(400, "requests must be a list of at most \(countMax)")
    }
    let text = body["rules"]
    guard text == nil || text?.string != nil else { throw RESTFailure(400, "rules must be a string with a rules file") }
    let other = try text?.string.map { text throws(RESTFailure) in try RuleSet.uploaded(text) }
    guard let at = body["at"] else {
      return call.withReading { decide(list, isExplained, on: PastDatabase(state: $0.state), by: other) }
    }
    guard let text = at.string else { throw RESTFailure(400, "at must be a string with a time") }
    let moment = try call.moment(text)
    call.withReading { source in
      guard case .database(let database) = source else {
        return decide(list, isExplained, on: PastDatabase(state: source.state), by: other)
      }
      call.withPast(of: database, at: moment, .root) { decide(list, isExplained, on: $0, by: other) }
    }
  }

  private func decide(_ list: [JSON], _ isExplained: Bool, on past: PastDatabase, by rules: RuleSet?) {
    let (services, isPretty) = (call.services, call.request.isPretty)
    let now = past.nowMilliseconds ?? call.now.wallMilliseconds
    let rules = rules ?? past.state.rules
    call.answerLater { () async throws(RESTFailure) in
      var decisions: [JSON] = []
      // One at a time, so that other work has its turn in between.
      for element in list {
        decisions.append(
          try await services.pool.work { () throws(RESTFailure) in
            Self.decision(element, isExplained, on: past.state.root, by: rules, nowMilliseconds: now)
          })
      }
      var json: JSON = ["decisions": .array(decisions), "position": .int(past.state.position)]
      if let time = past.wallMilliseconds { json["time"] = .string(Timestamp.text(milliseconds: time)) }
      return RESTResponse(json, pretty: isPretty)
    }
  }

  private static func decision(
    _ element: JSON, _ isExplained: Bool, on root: Node, by rules: RuleSet, nowMilliseconds: Int64
  ) -> JSON {
    let (request, prepared, now): (ProposedRequest, RulesRequest, Int64)
    do throws(RESTFailure) {
      (request, prepared, now) = try ProposedRequest.described(by: element, on: root, nowMilliseconds: nowMilliseconds)
    } catch {
      return ["error": .string(error.text)]
    }
    let decided =
      isExplained
      ? rules.withExpressions.traced(prepared, stepsMax: RulesLimits.explainStepsMax)
      : rules.decide(prepared, stepsMax: RulesLimits.explainStepsMax)
    guard let decision = decided else {
      return ["error": "the rules need more than \(RulesLimits.explainStepsMax) steps to decide"]
    }
    let explanation = Explanation(operation: request.word, path: request.path, decision: decision)
    var json: JSON = [
      "allowed": .bool(decision.isAllowed), "rule": decision.rule.map { .string($0.name) } ?? .null,
      "summary": .string(explanation.summary),
    ]
    if isExplained {
      json["now"] = .int(now)
      json["explanation"] = explanation.json
      json["text"] = .string(explanation.rendered(file: explanation.file, isColored: false))
    }
    return json
  }
}
