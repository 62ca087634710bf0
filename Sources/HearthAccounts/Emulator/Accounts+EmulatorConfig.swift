import HearthTree

extension Accounts {
  /// What test suites switch for one project: looks at it, and changes what the body names.
  ///
  /// One address has one account here, and nothing switches that off.
  func emulatorConfig(_ call: IdentityCall) throws(AccountError) -> JSON {
    let emulation = try requireEmulator(call)
    if let signIn = try call.object("signIn"), try call.with(signIn).bool("allowDuplicateEmails") == true {
      throw AccountError(
        .notImplemented, "signIn.allowDuplicateEmails: one address has one account here, and it cannot be switched off."
      )
    }
    if let privacy = try call.object("emailPrivacyConfig"),
      let isOn = try call.with(privacy).bool("enableImprovedEmailPrivacy")
    {
      emulation.setProtectsFromEnumeration(isOn)
    }
    return .object([
      JSON.Member("signIn", .object([JSON.Member("allowDuplicateEmails", .bool(false))])),
      JSON.Member(
        "emailPrivacyConfig",
        .object([JSON.Member("enableImprovedEmailPrivacy", .bool(configuration.protectsFromEnumeration))])),
    ])
  }
}
