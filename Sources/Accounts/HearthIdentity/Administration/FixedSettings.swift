import HearthAccounts
import HearthTree

/// The settings of Identity Platform's configuration that cannot change while the server runs. A request for the present value, as
/// from scripts that send a whole configuration, is accepted.
struct FixedSettings: Sendable {
  /// The leaf settings by their paths: names with points.
  private let values: [(path: String, value: JSON)]

  /// - Parameter ofTenant: true for a tenant's configuration, which shows the project's settings.
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

  /// The settings in responses, without those that are off, as in Firebase Authentication.
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

  /// Returns true when a request asks for the present values.
  ///
  /// - Parameters:
  ///   - mask: the path of a setting, or the common prefix of several, in either spelling.
  ///   - body: the request's values; absent ones return to the operator's file, which is the present state.
  func matches(_ mask: String, in body: JSON) -> Bool {
    let path = ProjectSettings.camelCase(mask)
    guard values.contains(where: { $0.path == path || $0.path.hasPrefix("\(path).") }) else { return false }
    var value = body
    for name in path.split(separator: ".").map(String.init) {
      guard value.members != nil else { return false }
      guard let inner = value[name] ?? value[IdentityCall.snakeCase(name)], inner != .null else { return true }
      value = inner
    }
    return matches(value, at: path)
  }

  private func matches(_ value: JSON, at path: String) -> Bool {
    // Requests are of bounded depth.
    guard let members = value.members else { return values.contains { $0.path == path && $0.value == value } }
    guard values.contains(where: { $0.path.hasPrefix("\(path).") }) else { return false }
    return members.allSatisfy { member in
      member.value == .null || matches(member.value, at: "\(path).\(ProjectSettings.camelCase(member.name))")
    }
  }
}
