import HearthPlugin

extension TenantRecord {
  /// Puts what was decided for it in the place of the project's settings; ``changes`` are not read here.
  func override(_ settings: inout AccountsConfiguration) {
    if let protectsFromEnumeration { settings.protectsFromEnumeration = protectsFromEnumeration }
    if let authenticators {
      settings.secondFactors.totp = authenticators.isOn
      if let intervals = authenticators.adjacentIntervals { settings.secondFactors.totpAdjacentIntervals = intervals }
    }
    guard let policy = secondFactorPolicy else { return }
    // As at Google: the state is about phones where authenticators are switched on beside it.
    settings.secondFactors.policy = policy == .off && authenticators?.isOn == true ? .optional : policy
    if !hasPhoneFactors { settings.phone.secondFactor = false }
  }

  /// Whether phones can be second factors, where the project has them.
  var hasPhoneFactors: Bool {
    guard let policy = secondFactorPolicy else { return true }
    return policy != .off && secondFactorProviders.contains("PHONE_SMS")
  }

  /// Whether its users may sign in that way, where the server serves it.
  func allows(_ method: SignInMethod) -> Bool {
    switch method {
    case .password: allowsPasswords
    case .emailLink: allowsEmailLinks
    case .anonymous: allowsAnonymous
    case .customToken, .credential, .passkey: true
    }
  }
}
