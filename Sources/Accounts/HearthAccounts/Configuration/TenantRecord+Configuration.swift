extension TenantRecord {
  /// Overrides the project's settings with the tenant's; ``changes`` are not read here.
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
}
