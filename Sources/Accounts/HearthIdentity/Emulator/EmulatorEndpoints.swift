import HearthAccounts
import HearthTree

/// Routes of test suites that run against an emulator. They exist only on a server that was started for development,
/// and only for clients on the same machine.
struct EmulatorEndpoints: EndpointGroup {
  let accounts: Accounts

  /// The maximum number of codes in one response, which has the newest: some megabytes.
  private static let codesShownMax = 10_000

  /// Deletes all accounts, without tombstones or events: test suites reuse uids.
  func deleteAllAccounts(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let emulator = try call.requireEmulator(of: accounts)
    try await emulator.deleteAllUsers(administrator: call.authority.administratorName, client: call.client)
    return .object([])
  }

  /// Lists the mailed codes that are still valid, the oldest first, for tests that cannot read mail.
  func listCodes(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let codes = try call.requireEmulator(of: accounts).mailedCodes(now: call.now).suffix(Self.codesShownMax).map {
      code in
      var shown = ReplyObject()
      shown.set("email", code.email)
      // A code that reverts a change of address has no new address.
      if code.purpose == .verifyAndChangeEmail { shown.set("newEmail", code.newEmail) }
      shown.set("requestType", code.purpose.rawValue)
      shown.set("oobCode", code.code)
      shown.set("oobLink", code.link)
      return shown.json
    }
    return .object([JSON.Member("oobCodes", .array(codes))])
  }

  /// Returns the emulator's settings of one project, after changing those that the body names.
  func config(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try call.requireEmulator(of: accounts)
    var changes: [JSON.Member] = []
    if let signIn = try call.object("signIn"), let isOn = try call.with(signIn).bool("allowDuplicateEmails") {
      changes.append(JSON.Member("allowsDuplicateEmails", .bool(isOn)))
    }
    if let privacy = try call.object("emailPrivacyConfig"),
      let isOn = try call.with(privacy).bool("enableImprovedEmailPrivacy")
    {
      changes.append(JSON.Member("protectsFromEnumeration", .bool(isOn)))
    }
    if !changes.isEmpty {
      try await accounts.administration.settings.change(
        .object(changes),
        by: Administrator(name: call.authority.administratorName ?? "a test suite", client: call.client, now: call.now))
    }
    let configuration = accounts.configuration
    return .object([
      JSON.Member(
        "signIn", .object([JSON.Member("allowDuplicateEmails", .bool(configuration.allowsDuplicateEmails))])),
      JSON.Member(
        "emailPrivacyConfig",
        .object([JSON.Member("enableImprovedEmailPrivacy", .bool(configuration.protectsFromEnumeration))])),
    ])
  }
}

extension IdentityCall {
  /// Returns true for a request from a program on an emulator's own machine.
  func isEmulated(in accounts: Accounts) -> Bool { accounts.emulator(isFromLoopback: isFromLoopback) != nil }

  /// Returns the emulator's controls for an allowed caller.
  ///
  /// - Throws: `notFound` for other callers, and on a server that is not an emulator.
  func requireEmulator(of accounts: Accounts) throws(AccountError) -> EmulatorControls {
    guard let emulator = accounts.emulator(isFromLoopback: isFromLoopback) else { throw AccountError(.notFound) }
    return emulator
  }
}
