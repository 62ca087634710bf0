import HearthAccounts
import HearthTree

/// Signing in with a phone number. No message is ever sent from here, so that only an emulator serves it, which shows the
/// codes to test suites.
struct PhoneEndpoints: EndpointArea {
  let accounts: Accounts

  private func requirePhoneSignIn(_ call: IdentityCall) throws(AccountError) -> PhoneSignIn {
    guard let emulator = accounts.emulator(isFromLoopback: call.isFromLoopback) else {
      throw AccountError(.notImplemented, "This server does not serve phone sign-in.")
    }
    return emulator.phones
  }

  /// Something for the widget that a client puts up before it asks for a code; nobody looks at what it makes of it.
  func captchaParameters(_ call: IdentityCall) async throws(AccountError) -> JSON {
    _ = try requirePhoneSignIn(call)
    var reply = ReplyObject(kind: "GetRecaptchaParam")
    reply.set("recaptchaStoken", "emulator")
    reply.set("recaptchaSiteKey", "emulator-has-no-captcha")
    return reply.json
  }

  /// `accounts:sendVerificationCode`
  func sendCode(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let sessionInfo = try requirePhoneSignIn(call).sendCode(to: try call.text("phoneNumber") ?? "")
    return .object([JSON.Member("sessionInfo", .string(sessionInfo))])
  }

  /// The codes that were not used yet, the oldest first.
  func listCodes(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let codes = try call.requireEmulator(of: accounts).phoneCodes.map { code in
      JSON.object([
        JSON.Member("phoneNumber", .string(code.phoneNumber)), JSON.Member("sessionInfo", .string(code.sessionInfo)),
        JSON.Member("code", .string(code.code)),
      ])
    }
    return .object([JSON.Member("verificationCodes", .array(codes))])
  }

  /// `accounts:signInWithPhoneNumber`: comes in, or gives the number to who is signed in.
  func signIn(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let phones = try requirePhoneSignIn(call)
    let caller: Caller? = call.value("idToken") == nil ? nil : try call.caller(in: accounts)
    let proof = try proof(call)
    let number = try phones.provenNumber(proof)
    let isEarlierProof = if case .earlier = proof { true } else { false }
    let outcome = try await phones.signIn(
      number: number, isEarlierProof: isEarlierProof, caller: caller, client: call.client, now: call.now)
    var reply = ReplyObject()
    switch outcome {
    case .taken(let proof):
      reply.set("temporaryProof", proof)
      reply.set("temporaryProofExpiresIn", "3600")
      reply.set("phoneNumber", number)
    case .signedIn(let signedIn):
      reply.set("isNewUser", signedIn.isNew)
      reply.set("phoneNumber", number)
      reply.set("localId", signedIn.user.uid)
      reply.set(signedIn.tokens)
    }
    return reply.json
  }

  private func proof(_ call: IdentityCall) throws(AccountError) -> PhoneProof {
    if let proof = try call.text("temporaryProof"), !proof.isEmpty {
      return .earlier(phoneNumber: try call.text("phoneNumber") ?? "", text: proof)
    }
    guard let sessionInfo = try call.text("sessionInfo"), !sessionInfo.isEmpty else {
      throw AccountError(.missingSessionInfo)
    }
    guard let code = try call.text("code"), !code.isEmpty else { throw AccountError(.missingCode) }
    return .code(sessionInfo: sessionInfo, code: code)
  }
}
