import HearthRules
import HearthTree

@testable import HearthExposure

/// Checks of the prover's example request for an open question: the evaluator must allow it, and it must be an instance
/// of the question.
enum WitnessCheck {
  static func problem(
    _ attempt: Attempt, _ rulesLocation: RulesLocation, _ operation: ExposureOperation, _ identity: ExposureIdentity,
    _ rules: RuleSet
  ) -> String? {
    if !attempt.isAllowed(by: rules) { return "the evaluator refuses it" }
    if attempt.nowMilliseconds < RandomRuleSet.nowMilliseconds { return "it is too early" }
    if let problem = problem(inData: attempt.data) { return problem }
    let places = operation == .read ? [attempt.path] : attempt.writes.map(\.path)
    guard let first = places.first else { return "it writes nothing" }
    if operation == .read, !attempt.writes.isEmpty { return "it writes" }
    for write in attempt.writes {
      if let problem = problem(inData: write.value) { return problem }
      if write.isPriority, attempt.data[write.path].isEmpty { return "a priority for nothing" }
    }
    if !rulesLocation.isInstance(first), !isBelow(first, rulesLocation) { return "\(first) is no instance" }
    return problem(attempt.auth, identity, at: first, rulesLocation.owners)
  }

  /// Returns true when a path is below an instance, at a key that no rule names.
  private static func isBelow(_ path: Path, _ rulesLocation: RulesLocation) -> Bool {
    guard path.count == rulesLocation.steps.count + 1, rulesLocation.isInstance(path.prefix(rulesLocation.steps.count))
    else { return false }
    let key = path.keys[path.count - 1]
    return key.problem == nil && rulesLocation.node.child(key) == nil
  }

  private static func problem(inData node: Node, depth: Int = 0) -> String? {
    if depth > DataLimits.depthMax { return "data too deep" }
    for (key, child) in node.children {
      if key.problem != nil { return "data under the key \(key.text.debugDescription)" }
      if let problem = problem(inData: child, depth: depth + 1) { return problem }
    }
    return nil
  }

  // MARK: Identity

  /// Returns the reason why `auth` is not in an identity class, or nil when it is.
  static func problem(
    _ auth: JSON?, _ identity: ExposureIdentity, at path: Path, _ owners: Set<Int>
  ) -> String? {
    guard let auth, !auth.isNull else { return identity == .signedOut ? nil : "nobody is signed in" }
    if identity == .signedOut { return "somebody is signed in" }
    if identity == .anyAuth {
      guard case .object(let members) = auth, !members.isEmpty else { return "auth is no object, or an empty one" }
      if case .string(let uid)? = auth["uid"] { return uid.utf16.count <= 256 ? nil : "the uid is too long" }
      return auth["uid"] == nil ? nil : "the uid is no text"
    }
    guard case .string(let uid)? = auth["uid"], (1...128).contains(uid.utf16.count) else { return "no uid" }
    if identity == .otherUser, owners.contains(where: { $0 < path.count && path.keys[$0] == Key(uid) }) {
      return "the owner"
    }
    guard case .string(let provider)? = auth["provider"] else { return "no provider" }
    guard case .object(let members) = auth, members.allSatisfy({ ["uid", "provider", "token"].contains($0.name) })
    else {
      return "auth has more than three members"
    }
    guard case .object(let claims)? = auth["token"] else { return "no token" }
    for claim in claims {
      if let problem = problem(claim.name, claim.value, uid, provider, identity) { return problem }
    }
    if case .holder(let names, let value) = identity {
      guard names.count == 1, let held = claims.first(where: { $0.name == names[0] })?.value,
        Attempt.text(held) == Attempt.text(JSON(value))
      else { return "the claim is not there" }
    }
    return nil
  }

  private static func problem(
    _ name: String, _ value: JSON, _ uid: String, _ provider: String, _ identity: ExposureIdentity
  ) -> String? {
    switch (name, value) {
    case (_, .null): return nil
    case ("sub", .string(let text)), ("user_id", .string(let text)): return text == uid ? nil : "\(name) is not the uid"
    case ("email", .string), ("name", .string), ("picture", .string), ("phone_number", .string), ("aud", .string),
      ("iss", .string), ("provider_id", .string), ("email_verified", .bool), ("iat", .int), ("iat", .double),
      ("exp", .int), ("exp", .double), ("auth_time", .int), ("auth_time", .double):
      return nil
    case ("firebase", .object(let members)):
      for member in members {
        switch (member.name, member.value) {
        case ("sign_in_provider", .string(provider)), ("identities", .object): break
        default: return "firebase.\(member.name)"
        }
      }
      return nil
    default:
      if case .holder(let names, _) = identity, names.first == name { return nil }
      if identity == .anyClaims { return nil }
      return "nobody gets the claim \(name) = \(Attempt.text(value)) by signing up"
    }
  }
}

extension JSON {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }

  fileprivate subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }
}
