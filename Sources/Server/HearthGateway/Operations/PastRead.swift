import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree

/// `GET` of data with `at`: what was there at a moment of the past. For administrators; with `auth_variable_override` the
/// rules of then decide, over the data of then and with the clock of then.
///
/// The answer is that of a read, with two headers more: `X-Hearth-Position`, the commit after which the state was so, and
/// `X-Hearth-Time`, its time, where that is kept.
struct PastRead {
  let call: RESTCall
  let location: Location
  /// The moment as the request names it.
  let text: String

  func answer() throws(RESTFailure) {
    let moment = try call.moment(text)
    call.withReading { source in
      guard case .database(let database) = source else {
        return DataRead(call: call, location: location, source: source).answer()
      }
      look(at: moment, database)
    }
  }

  private func look(at moment: HistoryMoment, _ database: Database) {
    // Rules may look anywhere.
    let path = call.caller.principal.isAdministrator ? location.path : .root
    call.withPast(of: database, at: moment, path) { respond($0, database) }
  }

  private func respond(_ past: PastDatabase, _ database: Database) {
    var call = call
    let state = past.state
    if let now = past.nowMilliseconds { call.now.wallMilliseconds = now }
    let completion = call.completion
    var headers = [(name: "X-Hearth-Position", value: "\(state.position)")]
    if let time = past.wallMilliseconds {
      headers.append((name: "X-Hearth-Time", value: Timestamp.text(milliseconds: time)))
    }
    let refusal = refusal(call, state)
    call.completion = { response in
      var response = response
      if response.status == 401, let refusal { response = refusal }
      response.headers += headers
      completion(response)
    }
    DataRead(call: call, location: location, source: .past(name: database.name, state)).answer()
  }

  /// What is answered when the rules do not let somebody read: beside the error why, for programs in `explanation` and for
  /// people in `text`. Who asks is an administrator who acts as that somebody.
  private func refusal(_ call: RESTCall, _ state: Published) -> RESTResponse? {
    let (request, principal) = (call.request, call.caller.principal)
    guard !principal.isAdministrator else { return nil }
    let read = ReadRequest(
      path: location.path, root: state.root, auth: principal.auth, nowMilliseconds: call.now.wallMilliseconds,
      query: request.queryForRules)
    let decision = state.rules.withExpressions.traced(.read(read), stepsMax: RulesLimits.explainStepsMax)
    guard let decision, !decision.isAllowed else { return nil }
    let explanation = Explanation(operation: "read", path: location.path, decision: decision)
    let answer: JSON = [
      "error": .string(RESTFailure.permissionDenied.text), "explanation": explanation.json,
      "text": .string(explanation.rendered(file: explanation.file, isColored: request.isColored)),
    ]
    var response = RESTResponse(answer, pretty: request.isPretty)
    response.status = RESTFailure.permissionDenied.status
    return response
  }
}
