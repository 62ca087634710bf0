import HearthEngine
import HearthTree

/// The operations on `/.settings/ruleset_labels.json`: `{"stable":id,"canary":id}`, the labels of stored rule sets. The
/// stable one is put in force, and a canary is staged. For administrators.
struct RulesetLabels {
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
      let source = source.state.rules.source
      call.settings { settings in
        // Rules that were uploaded since then are in force under no id.
        let isStable = settings.stableRuleset.flatMap(settings.ruleset)?.source.utf8.elementsEqual(source.utf8)
        var labels: JSON = [:]
        if isStable == true, let id = settings.stableRuleset { labels["stable"] = .string(id) }
        if let id = settings.canaryRuleset { labels["canary"] = .string(id) }
        return RESTResponse(labels)
      }
    }
  }

  private func replace() throws(RESTFailure) {
    guard let labels = JSON(parsing: call.request.body.readableBytesView), let stable = labels["stable"]?.string
    else { throw RESTFailure(400, "The body must be a JSON object with the id of the stable ruleset.") }
    let canary = labels["canary"]?.string
    call.withDatabase(.byMode) { database in
      var change = call.rulesChange
      change.comment = "ruleset \(stable)"
      call.answerLater {
        [services = call.services, principal = call.caller.principal, change] () async throws(RESTFailure) in
        try await services.rules.label(stable: stable, canary: canary, of: database, as: principal, change)
        return .done
      }
    }
  }
}
