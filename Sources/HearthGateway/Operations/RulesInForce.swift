import HearthEngine
import HearthRules
import HearthTree

/// `/.settings/rules.json`: the rules in force, and other ones. For administrators.
struct RulesInForce {
  let call: RESTCall

  func answer() throws(RESTFailure) {
    try call.requireAdministrator()
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

  /// The rules in force stay unless the new ones compile.
  private func replace() throws(RESTFailure) {
    let text = try RESTBody.text(call.request.body)
    let rules: RuleSet
    do { rules = try RuleSet.compile(text) } catch { throw RESTFailure(400, error.serviceText) }
    let done = RESTResponse(body: JSON.object([.init("status", .string("ok"))]).text())
    guard !call.request.isDryRun else { return call.completion(done) }
    let (services, hub, principal) = (call.services, call.hub, call.caller.principal)
    call.withDatabase(.allowed) { database in
      hub.request(.deployRules(rules), as: principal, of: database) { reply in
        guard case .failure(let failure) = reply else {
          services.logger.info("rules deployed", metadata: ["database": "\(database.name)"])
          services.logger.warn(of: rules, in: database.name)
          return call.completion(done)
        }
        call.completion(RESTResponse(RESTFailure(failure)))
      }
    }
  }
}
