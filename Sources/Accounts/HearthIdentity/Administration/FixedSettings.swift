import HearthAccounts
import HearthTree

/// What the service's configuration says and nobody changes while the server runs. A script that asks for what is so
/// anyway, as those do that send a whole configuration, is no mistake.
struct FixedSettings: Sendable {
  /// Settings without anything below them, by their place: names with points.
  private let values: [(path: String, value: JSON)]

  /// - Parameter ofTenant: whether it is a tenant's configuration, which says what is the project's.
  init(_ configuration: AccountsConfiguration, ofTenant: Bool = false) {
    let own: [(path: String, value: JSON)] =
      ofTenant
      ? [("inheritance.emailSendingConfig", .bool(true))] : [("mobileLinksConfig.domain", .string("HOSTING_DOMAIN"))]
    values =
      own + [
        ("autodeleteAnonymousUsers", .bool(false)),
        ("monitoring.requestLogging.enabled", .bool(false)),
        ("recaptchaConfig.emailPasswordEnforcementState", .string("OFF")),
        ("recaptchaConfig.phoneEnforcementState", .string(configuration.phone.captcha == nil ? "OFF" : "ENFORCE")),
        ("recaptchaConfig.managedRules", .array([])),
        ("recaptchaConfig.tollFraudManagedRules", .array([])),
        ("recaptchaConfig.useAccountDefender", .bool(false)),
        ("recaptchaConfig.useSmsBotScore", .bool(false)),
        ("recaptchaConfig.useSmsTollFraudProtection", .bool(false)),
      ]
  }

  /// What an answer shows of them; it leaves out what is off, as the service does.
  var shown: [JSON.Member] {
    var members: [JSON.Member] = []
    for (path, value) in values where value != .bool(false) && value != .array([]) {
      let names = path.split(separator: ".").map(String.init)
      guard names.count == 2, let name = names.first, let inner = names.last else { continue }
      let others = members.first { $0.name == name }?.value.members ?? []
      members.removeAll { $0.name == name }
      members.append(JSON.Member(name, .object(others + [JSON.Member(inner, value)])))
    }
    return members
  }

  /// Returns true when a request asks for what holds already.
  ///
  /// - Parameters:
  ///   - mask: the place of a setting, or of some with a common beginning, in either spelling.
  ///   - body: what the request says; what it lacks goes back to what the operator's file says, which is what holds.
  func isSo(_ mask: String, in body: JSON) -> Bool {
    let path = ProjectSettings.camelCase(mask)
    guard values.contains(where: { $0.path == path || $0.path.hasPrefix("\(path).") }) else { return false }
    var value = body
    for name in path.split(separator: ".").map(String.init) {
      guard value.members != nil else { return false }
      guard let inner = value[name] ?? value[IdentityCall.snakeCase(name)], inner != .null else { return true }
      value = inner
    }
    return isSo(value, at: path)
  }

  private func isSo(_ value: JSON, at path: String) -> Bool {
    // Requests are of bounded depth.
    guard let members = value.members else { return values.contains { $0.path == path && $0.value == value } }
    guard values.contains(where: { $0.path.hasPrefix("\(path).") }) else { return false }
    return members.allSatisfy { member in
      member.value == .null || isSo(member.value, at: "\(path).\(ProjectSettings.camelCase(member.name))")
    }
  }
}
