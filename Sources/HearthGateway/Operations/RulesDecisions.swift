import HearthEngine
import HearthRules
import HearthTree

/// `POST /.settings/rules/decide.json`: what the rules in force say of requests on the data that is there now, for
/// administrators. Nothing is written, logged as a denial or counted as traffic.
///
/// The body is `{"requests": […]}` with up to ``requestsMax`` of
///
/// * `{"read": PATH, "query": {…}}`, the query as in the realtime protocol;
/// * `{"write": PATH, "value": …}`, and `{"delete": PATH}`;
/// * `{"update": PATH, "value": {PATH: …}}`;
///
/// each with `auth`, what rules see as such (`null` for nobody), and `now`, milliseconds since 1970; without it, the time
/// of the question. The answer is `{"decisions": […], "position": 7}`, one for each in order: `allowed`, the `rule` that
/// decided (`null` where there is none) and a `summary` for people; or `error`, where the server would refuse it before
/// any rule is asked. All are decided on one state of the database, the one after that position.
struct RulesDecisions {
  /// Requests of one question.
  static let requestsMax = 1_000

  let call: RESTCall

  func answer() throws(RESTFailure) {
    try call.requireAdministrator()
    guard call.request.method == .post else { throw .methodNotAllowed }
    guard let list = try call.members()["requests"]?.array, list.count <= Self.requestsMax else {
      throw RESTFailure(400, "requests must be a list of at most \(Self.requestsMax)")
    }
    let (services, now, isPretty) = (call.services, call.now.wallMilliseconds, call.request.isPretty)
    call.withReading { source in
      let state = source.state
      call.answerLater { () async throws(RESTFailure) in
        var decisions: [JSON] = []
        // One at a time, so that others have their turns in between.
        for element in list {
          decisions.append(
            try await services.pool.work { () throws(RESTFailure) in
              Self.decision(element, on: state, nowMilliseconds: now)
            })
        }
        return RESTResponse(
          .object([.init("decisions", .array(decisions)), .init("position", .int(state.position))]), pretty: isPretty)
      }
    }
  }

  private static func decision(_ element: JSON, on state: Published, nowMilliseconds: Int64) -> JSON {
    let (request, now): (ProposedRequest, Int64)
    let auth = element["auth"].flatMap { $0 == .null ? nil : $0 }
    do throws(RESTFailure) {
      request = try ProposedRequest(element)
      now = try element.count("now") ?? nowMilliseconds
    } catch {
      return .object([.init("error", .string(error.text))])
    }
    let prepared: RulesRequest
    do throws(Failure) {
      prepared = try request.prepared(on: state.root, auth: auth, nowMilliseconds: now)
    } catch {
      return .object([.init("error", .string(error.message))])
    }
    guard let decision = state.rules.decide(prepared, stepsMax: RulesLimits.explainStepsMax) else {
      return .object([.init("error", .string("it takes more than \(RulesLimits.explainStepsMax) steps to decide"))])
    }
    let explanation = Explanation(operation: request.word, path: request.path, decision: decision)
    return .object([
      .init("allowed", .bool(decision.isAllowed)), .init("rule", decision.rule.map { .string($0.name) } ?? .null),
      .init("summary", .string(explanation.summary)),
    ])
  }
}
