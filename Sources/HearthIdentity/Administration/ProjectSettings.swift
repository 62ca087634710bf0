import HearthAccounts
import HearthPlugin
import HearthTree

/// Turns what an administrator changes, in the words of the service, into the words of the operator's file.
struct ProjectSettings: Sendable {
  private let body: JSON
  private var members: [JSON.Member] = []
  private var policy: [JSON.Member] = []
  /// The whole policy goes back to what the file says.
  private var resetsPolicy = false

  private static let policyConfig = "passwordPolicyConfig"

  /// - Parameter body: what the request says.
  init(_ body: JSON) { self.body = body }

  /// For ``ConfigurationAdministration/change(_:by:)``; nil when no such setting is changed.
  var changes: JSON? {
    let policies =
      resetsPolicy
      ? [JSON.Member("passwordPolicy", .null)]
      : policy.isEmpty ? [] : [JSON.Member("passwordPolicy", .object(policy))]
    let all = members + policies
    return all.isEmpty ? nil : .object(all)
  }

  /// Takes what the body has at a place of the configuration.
  ///
  /// - Parameter path: names with points, as a mask has them; one above a setting means all that is below.
  /// - Throws: `notImplemented` for what cannot be changed here; `invalidArgument` for a value of another type.
  mutating func change(_ path: String) throws(AccountError) {
    var isKnown = false
    func names(_ setting: String) -> Bool {
      let isNamed = setting == path || setting.hasPrefix("\(path).")
      if isNamed { isKnown = true }
      return isNamed
    }
    if names("authorizedDomains") { set("authorizedDomains", try value("authorizedDomains")) }
    if names("emailPrivacyConfig.enableImprovedEmailPrivacy") {
      set("protectsFromEnumeration", try bool("emailPrivacyConfig.enableImprovedEmailPrivacy").map { .bool($0) })
    }
    if names("client.permissions.disabledUserSignup") {
      set("allowsSignUp", try bool("client.permissions.disabledUserSignup").map { .bool(!$0) })
    }
    if names("client.permissions.disabledUserDeletion") {
      set("allowsDeletion", try bool("client.permissions.disabledUserDeletion").map { .bool(!$0) })
    }
    if path == Self.policyConfig {
      isKnown = true
      if try value(path) == nil { resetsPolicy = true } else { try changePolicy() }
    } else if path.hasPrefix("\(Self.policyConfig).") {
      isKnown = true
      try changePolicy()
    }
    guard isKnown else {
      throw AccountError(
        .notImplemented,
        "\(Self.shown(path)) cannot be changed here. What can: authorizedDomains, client.permissions, "
          + "emailPrivacyConfig, passwordPolicyConfig, blockingFunctions; the rest stands in the operator's file.")
    }
  }

  /// The state says whether there is a policy; the strength and the upgrade count with it.
  private mutating func changePolicy() throws(AccountError) {
    policy = []
    let state = try text("\(Self.policyConfig).passwordPolicyEnforcementState")
    switch state {
    case "ENFORCE":
      guard case .array(let versions)? = try value("\(Self.policyConfig).passwordPolicyVersions"), versions.count == 1,
        let options = versions[0]["customStrengthOptions"], options.members != nil
      else {
        throw AccountError(
          .invalidArgument, "passwordPolicyVersions must have one element, with customStrengthOptions: { … }")
      }
      for member in options.members ?? [] {
        guard let name = Self.strength.first(where: { $0.0 == member.name })?.1 else {
          throw AccountError(
            .invalidArgument, "unknown member of customStrengthOptions: \(Self.shown(member.name))")
        }
        policy.append(JSON.Member(name, member.value))
      }
      policy += Self.kinds.filter { options[$0.0] == nil }.map { JSON.Member($0.1, .bool(false)) }
      policy.append(
        JSON.Member("appliesAtSignIn", .bool(try bool("\(Self.policyConfig).forceUpgradeOnSignin") ?? false)))
    case "OFF":
      let none = PasswordPolicy()
      policy = [
        JSON.Member("lengthMin", .int(Int64(none.lengthMin))),
        JSON.Member("sizeBytesMax", .int(Int64(none.sizeBytesMax))),
        JSON.Member("appliesAtSignIn", .bool(false)),
      ]
      policy += Self.kinds.map { JSON.Member($0.1, .bool(false)) }
    default:
      throw AccountError(.invalidArgument, "passwordPolicyEnforcementState must be ENFORCE or OFF")
    }
  }

  /// What asks for a kind of character: the service's names, and the file's.
  private static let kinds = [
    ("containsLowercaseCharacter", "requiresLowercase"), ("containsUppercaseCharacter", "requiresUppercase"),
    ("containsNumericCharacter", "requiresDigit"), ("containsNonAlphanumericCharacter", "requiresOther"),
  ]

  /// The same of all that makes a password strong.
  private static let strength =
    [("minPasswordLength", "lengthMin"), ("maxPasswordLength", "sizeBytesMax")] + kinds

  private mutating func set(_ name: String, _ value: JSON?) {
    members.removeAll { $0.name == name }
    members.append(JSON.Member(name, value ?? .null))
  }

  /// What the body has at a place; nil for nothing, and for `null`.
  private func value(_ path: String) throws(AccountError) -> JSON? {
    var value = body
    for name in path.split(separator: ".") {
      guard value.members != nil else {
        throw AccountError(.invalidArgument, "What is around \(name) in \(path) must be an object")
      }
      guard let inner = value[String(name)] else { return nil }
      if case .null = inner { return nil }
      value = inner
    }
    return value
  }

  private func bool(_ path: String) throws(AccountError) -> Bool? {
    guard let value = try value(path) else { return nil }
    guard let bool = value.bool else { throw AccountError(.invalidArgument, "\(path) must be true or false") }
    return bool
  }

  private func text(_ path: String) throws(AccountError) -> String? {
    guard let value = try value(path) else { return nil }
    guard let text = value.string else { throw AccountError(.invalidArgument, "\(path) must be a text") }
    return text
  }

  /// A name that was sent, when it can be one; nothing else is repeated.
  private static func shown(_ name: String) -> String {
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") }
    return isName && name.utf8.count <= 64 ? name : "What was named"
  }

  /// The places of all settings that a body has, for a request without a mask: down to what is no object.
  static func leaves(of body: JSON) -> [String] {
    var found: [String] = []
    var open = (body.members ?? []).reversed().map { ($0.name, $0.value) }
    while let (path, value) = open.popLast() {
      if let members = value.members, !members.isEmpty {
        open += members.reversed().map { ("\(path).\($0.name)", $0.value) }
      } else {
        found.append(path)
      }
    }
    return found
  }
}
