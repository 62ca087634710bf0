import HearthTree

/// `POST /.settings/rules/rollback.json`: returns to a version of the history, for administrators.
///
/// The body is `{"version": 5}`; without it, it is the version before the one in force. `expected`, `comment` and
/// `tool` are as with a deploy, and so is the answer. With `"dryRun": true` the rules stay, and the answer is
/// `{"before": {…}, "target": {…}}`.
struct RulesRollback {
  let call: RESTCall

  func answer() throws(RESTFailure) {
    guard call.request.method == .post else { throw .methodNotAllowed }
    let body = try call.members()
    let (target, expected, isDryRun) = (try body.id("version"), try body.id("expected"), try body.flag("dryRun"))
    var change = try call.rulesChange(body)
    change.cause = .rollback
    let (services, principal) = (call.services, call.caller.principal)
    call.withDatabase(.byMode) { [change] database in
      call.answerLater { () async throws(RESTFailure) in
        guard !isDryRun else {
          let plan = try await services.rules.rollBackPlan(database, to: target, over: expected)
          return RESTResponse(["before": plan.current.json, "target": plan.target.json])
        }
        return RESTResponse(
          try await services.rules.rollBack(database, to: target, as: principal, change, over: expected).json)
      }
    }
  }
}
