import HearthEngine
import HearthRules
import HearthTree

/// `/.settings/rulesets.json` and `/.settings/ruleset_labels.json`: rules that are kept by an id, and which of them is
/// in force. For administrators.
extension RESTHandler {
  func rulesets(_ id: String?, _ context: Context) throws(RESTFailure) {
    guard context.caller.principal.isAdministrator else { throw .unauthorized }
    switch (context.request.method, id) {
    case (.get, nil), (.head, nil):
      settings(context) { settings in
        RESTResponse(.object([.init("rulesets", .array(settings.rulesets.map(\.json)))]))
      }
    case (.get, let id?), (.head, let id?):
      settings(context) { settings throws(RESTFailure) in
        guard let ruleset = settings.ruleset(id) else { throw .notFound }
        return RESTResponse(ruleset.json)
      }
    case (.post, nil): try keepRuleset(context)
    default: throw .methodNotAllowed
    }
  }

  private func keepRuleset(_ context: Context) throws(RESTFailure) {
    let text = try RESTBody.text(context.request.body)
    do { _ = try RuleSet.compile(text) } catch { throw RESTFailure(400, error.serviceText) }
    let milliseconds = context.now.wallMilliseconds
    let id = services.pushIDs.next(milliseconds: milliseconds)
    settings(context) { settings in
      settings.keep(Ruleset(id: id, createdAtMilliseconds: milliseconds, source: text))
      return RESTResponse(.object([.init("id", .string(id))]))
    }
  }

  /// `{"stable":id,"canary":id}`. The stable one is put in force; a canary is only remembered.
  func rulesetLabels(_ context: Context) throws(RESTFailure) {
    switch context.request.method {
    case .get, .head: getLabels(context)
    case .put: try putLabels(context)
    default: throw .methodNotAllowed
    }
  }

  private func getLabels(_ context: Context) {
    withReading(context) { source in
      let source = source.state.rules.source
      settings(context) { settings in
        // Rules that were uploaded since then are in force under no id.
        let isStable = settings.stableRuleset.flatMap(settings.ruleset)?.source.utf8.elementsEqual(source.utf8)
        var labels: [JSON.Member] = []
        if isStable == true, let id = settings.stableRuleset { labels.append(.init("stable", .string(id))) }
        if let id = settings.canaryRuleset { labels.append(.init("canary", .string(id))) }
        return RESTResponse(.object(labels))
      }
    }
  }

  private func putLabels(_ context: Context) throws(RESTFailure) {
    guard let labels = JSON(parsing: context.request.body.readableBytesView), let stable = labels["stable"]?.string
    else { throw RESTFailure(400, "Ruleset labels are a JSON object with the id of the stable ruleset.") }
    let canary = labels["canary"]?.string
    let (services, principal) = (services, context.caller.principal)
    withDatabase(context, .byMode) { database in
      let name = database.name
      services.pool.run(on: hub.loop) { () -> Result<RuleSet, RESTFailure> in
        Result { () throws(RESTFailure) in try Self.labelled(stable, canary, of: name, services) }
      } completion: { result in
        switch result {
        case .success(let rules)?:
          hub.request(.deployRules(rules), as: principal, of: database) { reply in
            if case .failure(let failure) = reply { return context.completion(RESTResponse(RESTFailure(failure))) }
            services.logger.info("rules deployed", metadata: ["database": "\(name)"])
            services.logger.warn(of: rules, in: name)
            settings(context) { settings in
              (settings.stableRuleset, settings.canaryRuleset) = (stable, canary)
              return .done
            }
          }
        case .failure(let failure)?: context.completion(RESTResponse(failure))
        case nil: context.completion(RESTResponse(.unavailable))
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
