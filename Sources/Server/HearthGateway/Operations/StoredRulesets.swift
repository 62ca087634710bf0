import HearthEngine
import HearthRules
import HearthTree

/// The operations on `/.settings/rulesets.json` and `/.settings/rulesets/<id>.json`: rules that are stored by an id.
/// For administrators.
struct StoredRulesets {
  let call: RESTCall
  /// The id of the requested rule set; nil for all.
  let id: String?

  func answer() throws(RESTFailure) {
    switch (call.request.method, id) {
    case (.get, nil), (.head, nil):
      call.settings { settings in
        RESTResponse(["rulesets": .array(settings.rulesets.map(\.json))])
      }
    case (.get, let id?), (.head, let id?):
      call.settings { settings throws(RESTFailure) in
        guard let ruleset = settings.ruleset(id) else { throw .notFound }
        return RESTResponse(ruleset.json)
      }
    case (.post, nil): try store()
    default: throw .methodNotAllowed
    }
  }

  private func store() throws(RESTFailure) {
    let text = try RESTBody.text(call.request.body)
    _ = try RuleSet.uploaded(text)
    let milliseconds = call.now.wallMilliseconds
    let id = call.services.pushIDs.next(milliseconds: milliseconds)
    call.settings { settings in
      settings.keep(Ruleset(id: id, createdAtMilliseconds: milliseconds, source: text))
      return RESTResponse(["id": .string(id)])
    }
  }
}
