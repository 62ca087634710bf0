import HearthAccounts
import HearthTree

/// Mailed codes: requesting and inspecting them, and setting a password.
struct CodeEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `accounts:sendOobCode`: mails a code, for clients and for administrators.
  func sendCode(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let purpose = try requestedPurpose(call)
    let continueURL = try call.text("continueUrl").flatMap { $0.isEmpty ? nil : $0 }
    let isInApp = try call.bool("canHandleCodeInApp") ?? false
    if let continueURL {
      try accounts.changes.codes.links.checkContinueURL(continueURL)
    } else {
      // Test suites read the code from the emulator and follow no link, so that they need no continue URL.
      let needsURL = purpose == .emailSignIn && !accounts.configuration.isEmulator
      guard !isInApp, !needsURL else { throw AccountError(.missingContinueURI) }
    }
    let linkDomain = try call.text("linkDomain").flatMap { $0.isEmpty ? nil : $0 }
    let linkOrigin = try linkDomain.map { domain throws(AccountError) in
      try accounts.changes.codes.links.origin(linkDomain: domain)
    }
    let wantsLink = try call.bool("returnOobLink") ?? false
    guard !wantsLink || call.isOfAdministrator else {
      throw AccountError(.insufficientPermission, "returnOobLink needs an administrator's credential.")
    }
    try requireServed(purpose)
    let target = try codeTarget(purpose, call)
    var request = ActionCodes.CodeRequest(purpose, email: target.email, client: call.client)
    request.requester = target.requester
    request.newEmail = target.newEmail
    request.continueURL = continueURL
    request.linkOrigin = linkOrigin
    let apps = [try call.text("iOSBundleId"), try call.text("androidPackageName")]
    request.opensApp = isInApp && apps.contains { $0?.isEmpty == false }
    request.apiKey = call.apiKey
    var reply = ReplyObject(kind: "GetOobConfirmationCode")
    reply.set("email", target.email)
    // An administrator learns whether the account exists; a signed-out client must not.
    let hides = accounts.configuration.protectsFromEnumeration && !call.isOfAdministrator
    // The order matters: where accounts must not be revealed, no lookup happens before the response.
    if !hides, purpose != .emailSignIn, accounts.store.view.user(email: target.email) == nil {
      throw AccountError(purpose == .resetPassword ? .emailNotFound : .userNotFound)
    }
    if let newEmail = target.newEmail, !hides, let owner = accounts.store.view.user(email: newEmail),
      owner.email != target.email
    {
      throw AccountError(.emailExists)
    }
    if wantsLink {
      let link = try await accounts.changes.codes.make(request, isMailed: false, now: call.now)
      reply.set("oobCode", link.code)
      reply.set("oobLink", link.link)
      return reply.json
    }
    do {
      try await accounts.changes.codes.send(request, now: call.now)
    } catch {
      let isLimit = error.code == .resetLimit || error.code == .quotaExceeded
      // A limit error would reveal that the address was used before.
      guard isLimit, hides, case .client = target.requester else { throw error }
    }
    return reply.json
  }

  private func requestedPurpose(_ call: IdentityCall) throws(AccountError) -> Ticket.Purpose {
    guard let name = try call.text("requestType"), !name.isEmpty else { throw AccountError(.missingRequestType) }
    // Some clients send numbers instead of names.
    switch name {
    case "PASSWORD_RESET", "1": return .resetPassword
    case "VERIFY_EMAIL", "4": return .verifyEmail
    case "EMAIL_SIGNIN", "6": return .emailSignIn
    case "VERIFY_AND_CHANGE_EMAIL", "7": return .verifyAndChangeEmail
    default: throw AccountError(.invalidRequestType)
    }
  }

  private func requireServed(_ purpose: Ticket.Purpose) throws(AccountError) {
    let isServed =
      switch purpose {
      case .emailSignIn: accounts.signIn.providers.serves(.emailLink)
      case .resetPassword: accounts.signIn.providers.serves(.password)
      default: true
      }
    guard isServed else { throw AccountError(.operationNotAllowed) }
  }

  /// The address that a code is for, its new address, and the origin of the request.
  private func codeTarget(
    _ purpose: Ticket.Purpose, _ call: IdentityCall
  ) throws(AccountError) -> (email: String, newEmail: String?, requester: ActionCodes.CodeRequest.Requester) {
    var newEmail: String?
    if purpose == .verifyAndChangeEmail {
      guard let text = try call.text("newEmail"), !text.isEmpty else { throw AccountError(.missingNewEmail) }
      guard let address = EmailAddress.canonical(text) else { throw AccountError(.invalidEmail) }
      newEmail = address
    }
    let needsSignIn = purpose == .verifyEmail || purpose == .verifyAndChangeEmail
    if needsSignIn, !call.isOfAdministrator || call.value("idToken") != nil {
      // Firebase Authentication reports a missing token as an invalid one here.
      guard purpose != .verifyEmail || call.value("idToken") != nil else { throw AccountError(.invalidIDToken) }
      let caller = try call.caller(in: accounts)
      if purpose == .verifyAndChangeEmail { try accounts.changes.credentials.requireOwner(caller, now: call.now) }
      guard let email = caller.user.email else { throw AccountError(.missingEmail) }
      return (email, newEmail, .session(caller))
    }
    guard let text = try call.text("email") else { throw AccountError(.missingEmail) }
    guard let email = EmailAddress.canonical(text) else { throw AccountError(.invalidEmail) }
    return (email, newEmail, call.isOfAdministrator ? .administrator(try call.administrator()) : .client)
  }

  /// `accounts:resetPassword`: returns the purpose of a code, or uses it to set a password.
  func resetPassword(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let code = try call.text("oobCode").flatMap { $0.isEmpty ? nil : $0 }
    // Codes for other purposes are accepted here as well, so a code is required before the plugin is.
    guard code != nil || accounts.signIn.providers.serves(.password) else { throw AccountError(.passwordLoginDisabled) }
    var reply = ReplyObject(kind: "ResetPassword")
    if let password = try call.text("newPassword", sizeBytesMax: IdentityCall.longTextBytesMax) {
      let use = try await accounts.changes.redemption.redeem(
        code, purposes: [.resetPassword], newPassword: password, client: call.client, now: call.now)
      reply.set("email", use.user.email)
      reply.set("requestType", use.purpose.rawValue)
      return reply.json
    }
    let (ticket, _) = try accounts.changes.codes.presented(
      code,
      purposes: [
        .resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactor, .revertChange,
        .emailSignIn,
      ], now: call.now)
    // A sign-in link alone is not enough: the client also has to name the address.
    if ticket.purpose != .emailSignIn { reply.set("email", ticket.email) }
    reply.set("newEmail", ticket.newEmail)
    if ticket.purpose == .revertSecondFactor {
      let factors = ticket.uid.flatMap { accounts.store.view.user($0) }?.factors ?? []
      guard let factor = factors.first(where: { $0.id == ticket.revertedFactor }) else {
        throw AccountError(.invalidOOBCode)
      }
      reply.set("mfaInfo", UserInfoAnswer.factor(factor, redacted: true))
    }
    if ticket.requiresFactor { reply.set("secondFactorRequired", true) }
    reply.set("requestType", ticket.purpose.rawValue)
    return reply.json
  }
}
