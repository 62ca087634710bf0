import HearthCrypto
import HearthOutbound
import HearthTree
import HearthTriggers

/// `/.settings/triggers…`: the triggers of the server, for administrators.
///
/// * `triggers.json`: `GET` lists them; `POST` registers one, or replaces the one with its name:
///   `{"name","path","on","url",…}`.
/// * `triggers/<name>.json`: `GET` shows one; `PATCH` of `{"pause": REASON}` pauses it, and of `{"pause": null}`
///   resumes it; `DELETE` removes it.
/// * `triggers/<name>/dead.json`: `GET` lists its dead letters; `DELETE` removes them.
/// * `triggers/<name>/replay.json`: `POST` of `{"letter": NAME}` sends one again, and of `{}` all.
///
/// The events of a trigger about users carry accounts, so it also needs the permission to read or change these; the list
/// leaves it out otherwise.
struct TriggerOperation {
  let call: RESTCall
  let name: String?
  let part: RESTTarget.TriggerPart?

  func answer() throws(RESTFailure) {
    let (registry, isPretty) = (call.services.triggers, call.request.isPretty)
    let work: @Sendable () throws(RESTFailure) -> JSON
    if let definition = name.flatMap(registry.definition) { try requirePermission(definition) }
    switch (call.request.method, name, part) {
    case (.get, nil, _):
      let definitions = registry.all.filter { (try? requirePermission($0)) != nil }
      work = { () throws(RESTFailure) in
        var shown: [JSON] = []
        for definition in definitions { shown.append(try registry.shown(definition)) }
        return ["triggers": .array(shown)]
      }
    case (.post, nil, _):
      let definition = try Self.definition(try call.members())
      try requirePermission(definition)
      try requireMayReach(definition, from: registry.definition(definition.name))
      try Self.requireIsAdmitted(definition)
      work = { () throws(RESTFailure) in
        try registry.add(definition)
        return try registry.shown(definition)
      }
    case (.get, let name?, nil): work = { () throws(RESTFailure) in try Self.shown(name, registry) }
    case (.patch, let name?, nil):
      let reason = try Self.reason(try call.members())
      work = { () throws(RESTFailure) in
        try registry.pause(name, reason)
        return try Self.shown(name, registry)
      }
    case (.delete, let name?, nil):
      work = { () throws(RESTFailure) in
        try registry.remove(name)
        return ["removed": .string(name)]
      }
    case (.get, let name?, .dead):
      work = { () throws(RESTFailure) in ["letters": .array(try registry.deadLetters(of: name))] }
    case (.delete, let name?, .dead):
      work = { () throws(RESTFailure) in
        ["removed": .int(Int64(try registry.removeDeadLetters(of: name)))]
      }
    case (.post, let name?, .replay):
      let letter = try call.members().text("letter")
      work = { () throws(RESTFailure) in
        ["replayed": .int(Int64(try registry.replay(name, letter: letter)))]
      }
    default: throw .methodNotAllowed
    }
    let services = call.services
    call.answerLater { () async throws(RESTFailure) in
      RESTResponse(try await services.pool.work(work), pretty: isPretty)
    }
  }

  /// Checks the permission that a trigger needs by its subject, beyond that of the operation.
  private func requirePermission(_ definition: TriggerDefinition) throws(RESTFailure) {
    guard definition.subject.isUsers else { return }
    let permission: Permission = call.request.method.isRead ? .readUsers : .changeUsers
    try call.services.check(.permission(permission), of: call.caller, from: call.origin)
  }

  /// Refuses a receiver at a private address, unless the operator sets it, or the trigger has that receiver already.
  private func requireMayReach(_ definition: TriggerDefinition, from present: TriggerDefinition?) throws(RESTFailure) {
    let isKnown = present?.allowsPrivate == true && present?.target == definition.target
    guard definition.allowsPrivate, !isKnown, !call.caller.authority.actsForOperator else { return }
    throw RESTFailure(403, "allowsPrivate can only be set by the operator, with hearth triggers add --allow-private.")
  }

  /// Checks that events to the receiver would be sent at all.
  private static func requireIsAdmitted(_ definition: TriggerDefinition) throws(RESTFailure) {
    guard let url = definition.target.url else { return }
    do throws(OutboundError) {
      try OutboundPolicy.checkReceiver(at: url, allowsPrivate: definition.allowsPrivate)
    } catch {
      throw RESTFailure(
        400,
        "The server would send no event to \(url): \(error.message). hearth triggers add --allow-private permits it.")
    }
  }

  private static func definition(_ json: JSON) throws(RESTFailure) -> TriggerDefinition {
    do throws(TriggerProblem) { return try TriggerDefinition(json) } catch {
      throw RESTFailure(400, error.description)
    }
  }

  private static func shown(_ name: String, _ registry: TriggerRegistry) throws(RESTFailure) -> JSON {
    guard let definition = registry.definition(name) else { throw .noTrigger }
    return try registry.shown(definition)
  }

  private static func reason(_ body: JSON) throws(RESTFailure) -> String? {
    guard let pause = body["pause"] else { throw RESTFailure(400, "pause must be a string with a reason, or null") }
    if case .null = pause { return nil }
    guard let reason = try body.text("pause") else {
      throw RESTFailure(400, "pause must be a string with a reason, or null")
    }
    return reason
  }
}
