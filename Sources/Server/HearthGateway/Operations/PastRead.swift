import HearthDatabase
import HearthEngine
import HearthRules
import HearthTree

/// The operation `GET` of data with `at`: the value at a point in history. For administrators; with
/// `auth_variable_override` the rules of that time decide, over the data and by the clock of that time.
///
/// The response is that of a read, with two more headers: `X-Hearth-Position`, the commit with that state, and
/// `X-Hearth-Time`, its time, where that is stored.
struct PastRead {
  let call: RESTCall
  let location: Location
  /// The point in history as the request names it.
  let text: String

  func answer() throws(RESTFailure) {
    let moment = try call.moment(text)
    call.withReading { source in
      guard case .database(let database) = source else {
        return DataRead(call: call, location: location, source: source).answer()
      }
      read(at: moment, database)
    }
  }

  private func read(at moment: HistoryMoment, _ database: Database) {
    // Rules may read any path.
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
    let location = location
    let (request, principal, now) = (call.request, call.caller.principal, call.now.wallMilliseconds)
    call.services.pool.read(on: call.hub.loop, for: call.poolClient) {
      Self.refusal(request, principal, now, location, state)
    } completion: { refusal in
      call.completion = { response in
        var response = response
        if response.status == 401, let refusal = refusal ?? nil { response = refusal }
        response.headers += headers
        completion(response)
      }
      DataRead(call: call, location: location, source: .past(name: database.name, state)).answer()
    }
  }

  /// Returns the response when the rules deny the read: beside the error the reason, for programs in `explanation` and
  /// for display in `text`. The caller is an administrator that acts as another identity.
  private static func refusal(
    _ request: RESTRequest, _ principal: Principal, _ nowMilliseconds: Int64, _ location: Location,
    _ state: DatabaseState
  ) -> RESTResponse? {
    guard !principal.isAdministrator else { return nil }
    let read = ReadRequest(
      path: location.path, root: state.root, auth: principal.auth, nowMilliseconds: nowMilliseconds,
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
