extension TenantRecord {
  /// Overrides the project's settings with the tenant's; ``changes`` are not read here.
  func override(_ settings: inout AccountsConfiguration) {
    if let protectsFromEnumeration { settings.protectsFromEnumeration = protectsFromEnumeration }
    if let authenticators {
      settings.secondFactors.totp = authenticators.isOn
      if let intervals = authenticators.adjacentIntervals { settings.secondFactors.totpAdjacentIntervals = intervals }
    }
    guard let policy = secondFactorPolicy else { return }
    // As in Identity Platform, the tenant's policy is about phone numbers only: with authenticator apps switched on, `off` does not
    // switch factors off.
    settings.secondFactors.policy = policy == .off && authenticators?.isOn == true ? .optional : policy
    if !hasPhoneFactors { settings.phone.secondFactor = false }
  }
}
