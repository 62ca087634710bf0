import HearthAccounts
import HearthTree

/// Sign-in with a phone number.
struct PhoneEndpoints: EndpointGroup {
  let accounts: Accounts

  /// Returns the site key with which a client shows a captcha widget before it requests a code. Client SDKs insist on a
  /// key even without a captcha service; the widget's token is not verified then.
  func captchaParameters(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let settings = accounts.configuration
    guard call.isEmulated(in: accounts) || settings.sendsPhoneCodes else {
      throw AccountError(.operationNotAllowed, "This server cannot send codes: phone sign-in is not configured.")
    }
    var reply = ReplyObject(kind: "GetRecaptchaParam")
    reply.set("recaptchaStoken", "none")
    reply.set("recaptchaSiteKey", settings.phone.captcha?.siteKey ?? "no-captcha-is-asked-for")
    return reply.json
  }

  /// `accounts:sendVerificationCode`: sends a code to a phone number.
  func sendCode(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let sessionInfo = try await accounts.signIn.phones.sendCode(
      to: try call.text("phoneNumber") ?? "", try call.phoneRequest(in: accounts))
    return .object([JSON.Member("sessionInfo", .string(sessionInfo))])
  }

  /// `accounts:verifyIosClient`: an app requests a push notification that only it can receive, as a proof that it is
  /// genuine. This server sends none; on both responses SDKs open the page with the captcha.
  func verifyIOSClient(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard let token = try call.text("appToken"), !token.isEmpty else { throw AccountError(.missingAPNSToken) }
    throw AccountError(.invalidAppCredential, "This server cannot send push notifications. Apps open its page instead.")
  }

  /// Lists the unused codes, the oldest first. For an emulator's test suites.
  func listCodes(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let codes = try call.requireEmulator(of: accounts).phoneCodes(now: call.now).map { code in
      JSON.object([
        JSON.Member("phoneNumber", .string(code.phoneNumber)), JSON.Member("sessionInfo", .string(code.sessionInfo)),
        JSON.Member("code", .string(code.code)),
      ])
    }
    return .object([JSON.Member("verificationCodes", .array(codes))])
  }

  /// `accounts:signInWithPhoneNumber`: signs in, or adds the number to the caller's account.
  func signIn(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try accounts.signIn.phones.requireServed(isEmulated: call.isEmulated(in: accounts))
    let caller: Caller? = call.value("idToken") == nil ? nil : try call.caller(in: accounts)
    let (number, outcome) = try await accounts.signIn.phones.signIn(
      try proof(call), caller: caller, makesAccounts: try call.text("operation") != "REAUTH", client: call.client,
      isEmulated: call.isEmulated(in: accounts), now: call.now)
    var reply = ReplyObject()
    switch outcome {
    case .taken(let proof):
      reply.set("temporaryProof", proof)
      reply.set("temporaryProofExpiresIn", String(PhoneSignIn.proofLifetimeSeconds))
      reply.set("phoneNumber", number)
    case .step(let step):
      reply.set("isNewUser", step.isNew)
      reply.set("phoneNumber", number)
      reply.set("localId", step.user.uid)
      reply.set(step)
    }
    return reply.json
  }

  private func proof(_ call: IdentityCall) throws(AccountError) -> PhoneProof {
    if let proof = try call.text("temporaryProof"), !proof.isEmpty {
      return .earlier(phoneNumber: try call.text("phoneNumber") ?? "", text: proof)
    }
    let (sessionInfo, code) = try call.phoneCode()
    return .code(sessionInfo: sessionInfo, code: code)
  }
}

extension IdentityCall {
  /// Returns a request that may cause a message.
  ///
  /// - Parameter info: the member with the captcha's token; nil for the body itself.
  func phoneRequest(in accounts: Accounts, info: JSON? = nil) throws(AccountError) -> PhoneRequest {
    let asked = info.map { with($0) } ?? self
    var request = PhoneRequest(
      captcha: try asked.captchaToken(), client: client, now: now, isEmulated: isEmulated(in: accounts))
    request.showsAttestation = Self.attestations.contains { asked.value($0) != nil }
    return request
  }

  /// The members with attestations of operating systems.
  private static let attestations = ["iosReceipt", "iosSecret", "playIntegrityToken", "safetyNetToken"]

  /// The value that web clients send in place of a token when they have no token of reCAPTCHA Enterprise.
  private static let noToken = "NO_RECAPTCHA"

  private func captchaToken() throws(AccountError) -> String? {
    for name in ["recaptchaToken", "captchaResponse"] {
      if let token = try text(name), !token.isEmpty, token != Self.noToken { return token }
    }
    return nil
  }

  /// Returns a code that was sent to a phone, and its session text.
  ///
  /// - Throws: `missingSessionInfo`, `missingCode`.
  func phoneCode() throws(AccountError) -> (sessionInfo: String, code: String) {
    guard let sessionInfo = try text("sessionInfo"), !sessionInfo.isEmpty else {
      throw AccountError(.missingSessionInfo)
    }
    guard let code = try text("code"), !code.isEmpty else { throw AccountError(.missingCode) }
    return (sessionInfo, code)
  }
}
