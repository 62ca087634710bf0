import HearthEngine
import HearthRules
import HearthTree

/// `/.settings/ruleset_labels.json`: `{"stable":id,"canary":id}`, which of the kept rulesets are which. The stable one is put
/// in force; a canary is only remembered. For administrators.
struct RulesetLabels {
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
      let source = source.state.rules.source
      call.settings { settings in
        // Rules that were uploaded since then are in force under no id.
        let isStable = settings.stableRuleset.flatMap(settings.ruleset)?.source.utf8.elementsEqual(source.utf8)
        var labels: [JSON.Member] = []
        if isStable == true, let id = settings.stableRuleset { labels.append(.init("stable", .string(id))) }
        if let id = settings.canaryRuleset { labels.append(.init("canary", .string(id))) }
        return RESTResponse(.object(labels))
      }
    }
  }

  private func replace() throws(RESTFailure) {
    guard let labels = JSON(parsing: call.request.body.readableBytesView), let stable = labels["stable"]?.string
    else { throw RESTFailure(400, "Ruleset labels are a JSON object with the id of the stable ruleset.") }
    let canary = labels["canary"]?.string
    let (services, hub, principal) = (call.services, call.hub, call.caller.principal)
    call.withDatabase(.byMode) { database in
      let name = database.name
      services.pool.run(on: hub.loop) { () -> Result<RuleSet, RESTFailure> in
        Result { () throws(RESTFailure) in try Self.labelled(stable, canary, of: name, services) }
      } completion: { result in
        switch result {
        case .success(let rules)?:
          hub.request(.deployRules(rules), as: principal, of: database) { reply in
            if case .failure(let failure) = reply { return call.completion(RESTResponse(RESTFailure(failure))) }
            services.logger.info("rules deployed", metadata: ["database": "\(name)"])
            services.logger.warn(of: rules, in: name)
            call.settings { settings in
              (settings.stableRuleset, settings.canaryRuleset) = (stable, canary)
              return .done
            }
          }
        case .failure(let failure)?: call.completion(RESTResponse(failure))
        case nil: call.completion(RESTResponse(.unavailable))
        }
      }
    }
  }

  /// The stable rules, when both rulesets are kept.
  private static func labelled(
    _ stable: String, _ canary: String?, of name: String, _ services: GatewayServices
  ) throws(RESTFailure) -> RuleSet {
    let settings = try services.settings.settings(of: name)
    let missing = [stable, canary].compactMap { $0 }.first { settings.ruleset($0) == nil }
    guard missing == nil, let ruleset = settings.ruleset(stable) else {
      throw RESTFailure(400, "There is no ruleset of that id.")
    }
    do { return try RuleSet.compile(ruleset.source) } catch { throw RESTFailure(400, error.serviceText) }
  }
}
