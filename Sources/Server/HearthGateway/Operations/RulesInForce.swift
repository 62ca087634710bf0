import HearthEngine
import HearthRules
import HearthTree

/// The operations on `/.settings/rules.json`: reading and replacing the rules in force. For administrators.
struct RulesInForce {
  let call: RESTCall

  func answer() throws(RESTFailure) {
    switch call.request.method {
    case .get, .head: show()
    case .put: try replace()
    default: throw .methodNotAllowed
    }
  }

  private func show() {
    call.withReading { source in
      let rules = source.state.rules
      let body = call.request.isStrict ? rules.strictJSON : Array(rules.source.utf8)
      call.completion(RESTResponse(body: body))
    }
  }

  /// Replaces the rules in force, unless the new ones do not compile.
  private func replace() throws(RESTFailure) {
    let text = try RESTBody.text(call.request.body)
    let rules = try RuleSet.uploaded(text)
    let done = RESTResponse(body: (["status": "ok"] as JSON).text())
    guard !call.request.isDryRun else { return call.completion(done) }
    call.withDatabase(.allowed) { database in
      call.answerLater {
        [services = call.services, principal = call.caller.principal, change = call.rulesChange] ()
          async throws(RESTFailure) in
        try await services.rules.deploy(rules, to: database, as: principal, change)
        return done
      }
    }
  }
}
