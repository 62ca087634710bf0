import HearthRules
import HearthTree

/// `/.settings/rules/versions.json`: the history of a database's rules, and a deploy with a comment. For
/// administrators.
///
/// * `GET` gives `{"current": 7, "versions": […]}`, the newest first, and the `watch` under way; `versions/<id>.json`
///   gives one with its `source`.
/// * `POST` of `{"source": TEXT}` puts the rules in force, and gives `{"version": {…}, "isNew": true}`. With
///   `"expected": 7` it is refused with 412 unless that version is in force; `comment` and `tool` are kept with it.
///   With `"dryRun": true` all checks are made and the rules stay.
struct RulesHistory {
  let call: RESTCall
  /// The id of the requested version; nil for all.
  let id: String?

  func answer() throws(RESTFailure) {
    switch (call.request.method, id) {
    case (.get, nil), (.head, nil): show()
    case (.get, let id?), (.head, let id?): try show(id)
    case (.post, nil): try deploy()
    default: throw .methodNotAllowed
    }
  }

  private func show() {
    let (services, isPretty) = (call.services, call.request.isPretty)
    call.withReading { source in
      guard case .database(let database) = source else {
        return call.completion(RESTResponse(["versions": []], pretty: isPretty))
      }
      call.answerLater { () async throws(RESTFailure) in
        let versions = try await services.rules.history(of: database)
        var json: JSON = [:]
        if let current = versions.last { json["current"] = .int(current.id) }
        json["versions"] = .array(versions.reversed().map(\.json))
        if let watch = services.rules.watchStatus(of: database) { json["watch"] = watch }
        return RESTResponse(json, pretty: isPretty)
      }
    }
  }

  private func show(_ id: String) throws(RESTFailure) {
    guard let id = Int64(id) else { throw .notFound }
    let (services, isPretty) = (call.services, call.request.isPretty)
    call.withReading { source in
      guard case .database(let database) = source else { return call.completion(RESTResponse(.notFound)) }
      call.answerLater { () async throws(RESTFailure) in
        let (version, source) = try await services.rules.version(id, of: database)
        return RESTResponse(
          version.json.appending(["source": .string(source)]), pretty: isPretty)
      }
    }
  }

  private func deploy() throws(RESTFailure) {
    let body = try call.members()
    guard let text = body["source"]?.string else { throw RESTFailure(400, "source must be a string with a rules file") }
    let (change, expected, isDryRun) = (try call.rulesChange(body), try body.id("expected"), try body.flag("dryRun"))
    guard !isDryRun else { return try check(text, over: expected) }
    let (services, principal) = (call.services, call.caller.principal)
    call.withDatabase(.allowed) { database in
      call.answerLater { () async throws(RESTFailure) in
        let rules = try await services.pool.work { () throws(RESTFailure) in try RuleSet.uploaded(text) }
        return RESTResponse(
          try await services.rules.deploy(rules, to: database, as: principal, change, over: expected).json)
      }
    }
  }

  /// Checks a deploy without making a version. Throws the refusal that it would get.
  private func check(_ text: String, over expected: Int64?) throws(RESTFailure) {
    _ = try RuleSet.uploaded(text)
    let services = call.services
    call.withReading { source in
      guard case .database(let database) = source else { return call.completion(.done) }
      call.answerLater { () async throws(RESTFailure) in
        try await services.rules.check(expected, of: database)
        return .done
      }
    }
  }
}
