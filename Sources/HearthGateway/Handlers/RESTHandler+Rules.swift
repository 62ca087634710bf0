import HearthEngine
import HearthRules
import HearthTree

extension RESTHandler {
  /// `/.settings/rules.json`, for administrators.
  func rules(_ context: Context) throws(RESTFailure) {
    guard context.caller.principal.isAdministrator else { throw .unauthorized }
    switch context.request.method {
    case .get, .head: getRules(context)
    case .put: try putRules(context)
    default: throw .methodNotAllowed
    }
  }

  private func getRules(_ context: Context) {
    withReading(context) { source in
      let rules = source.state.rules
      let body = context.request.isStrict ? rules.strictJSON : Array(rules.source.utf8)
      context.completion(RESTResponse(body: body))
    }
  }

  /// The rules in force stay unless the new ones compile.
  private func putRules(_ context: Context) throws(RESTFailure) {
    let text = try RESTBody.text(context.request.body)
    let rules: RuleSet
    do { rules = try RuleSet.compile(text) } catch { throw RESTFailure(400, error.serviceText) }
    let done = RESTResponse(body: JSON.object([.init("status", .string("ok"))]).text())
    guard !context.request.isDryRun else { return context.completion(done) }
    let principal = context.caller.principal
    withDatabase(context, .allowed) { database in
      hub.request(.deployRules(rules), as: principal, of: database) { reply in
        guard case .failure(let failure) = reply else {
          services.logger.info("rules deployed", metadata: ["database": "\(database.name)"])
          services.logger.warn(of: rules, in: database.name)
          return context.completion(done)
        }
        context.completion(RESTResponse(RESTFailure(failure)))
      }
    }
  }
}
