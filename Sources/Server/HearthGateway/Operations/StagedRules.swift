import HearthRules
import HearthTree

/// `/.settings/rules/staged.json`: staged rules, evaluated on the requests to the rules in force. For administrators.
///
/// * `PUT` of `{"source": TEXT}` stages rules in place of others; `comment` and `tool` are stored with them.
/// * `GET` gives `{"staged": {…}, "trial": {…}, "watch": {…}}`, each `null` when there is none.
/// * `POST` evaluates listeners and stored data once more, and responds as `GET` does, at once.
/// * `DELETE` ends the trial and returns its report.
struct StagedRules {
  let call: RESTCall

  func answer() throws(RESTFailure) {
    switch call.request.method {
    case .get, .head: show()
    case .put: try stage()
    case .post: forecast()
    case .delete: unstage()
    default: throw .methodNotAllowed
    }
  }

  private func show() {
    let (services, isPretty) = (call.services, call.request.isPretty)
    call.withReading { source in
      call.answerLater { () async throws(RESTFailure) in
        guard case .database(let database) = source else { throw .nothingStaged }
        return RESTResponse(try await services.rules.trialStatus(of: database), pretty: isPretty)
      }
    }
  }

  private func stage() throws(RESTFailure) {
    let body = try call.members()
    guard let text = body["source"]?.string else { throw RESTFailure(400, "source must be a string with a rules file") }
    let (services, change) = (call.services, try call.rulesChange(body))
    call.withDatabase(.byMode) { database in
      call.answerLater { () async throws(RESTFailure) in
        let rules = try await services.pool.work { () throws(RESTFailure) in try RuleSet.uploaded(text) }
        let staged = try await services.rules.stage(rules, of: database, change)
        return RESTResponse(["staged": staged.shown])
      }
    }
  }

  private func forecast() {
    let (services, isPretty) = (call.services, call.request.isPretty)
    call.withDatabase(.byMode) { database throws(RESTFailure) in
      guard let trial = database.trial else { throw .nothingStaged }
      trial.startForecast()
      call.answerLater { () async throws(RESTFailure) in
        RESTResponse(try await services.rules.trialStatus(of: database), pretty: isPretty)
      }
    }
  }

  private func unstage() {
    let (services, author, isPretty) = (call.services, call.rulesChange.author, call.request.isPretty)
    call.withDatabase(.byMode) { database in
      call.answerLater { () async throws(RESTFailure) in
        let report = try await services.rules.unstage(database, by: author)
        return RESTResponse(["trial": report?.json ?? .null], pretty: isPretty)
      }
    }
  }
}
