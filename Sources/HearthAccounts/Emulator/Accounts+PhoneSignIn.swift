import HearthCrypto
import HearthEngine
import HearthTree

/// Signing in with a phone number. No message is ever sent from here, so that only an emulator serves it, which shows the
/// codes to test suites.
extension Accounts {
  private func requirePhoneSignIn(_ call: IdentityCall) throws(AccountError) -> Emulation {
    guard let emulation = emulation(for: call) else {
      throw AccountError(.notImplemented, "This server does not serve phone sign-in.")
    }
    return emulation
  }

  /// Something for the widget that a client puts up before it asks for a code; nobody looks at what it makes of it.
  func captchaParameters(_ call: IdentityCall) throws(AccountError) -> JSON {
    _ = try requirePhoneSignIn(call)
    var reply = ReplyObject(kind: "GetRecaptchaParam")
    reply.set("recaptchaStoken", "emulator")
    reply.set("recaptchaSiteKey", "emulator-has-no-captcha")
    return reply.json
  }

  /// `accounts:sendVerificationCode`
  func sendPhoneCode(_ call: IdentityCall) throws(AccountError) -> JSON {
    let emulation = try requirePhoneSignIn(call)
    let number = try call.text("phoneNumber") ?? ""
    try AccountChange.check(phoneNumber: number)
    if let owner = store.view.user(phone: number) { try Self.requirePhoneAsFirst(owner) }
    let sessionInfo = try newSecretText()
    let code = try drawn { (random) throws(RandomnessError) in
      try random.bytes(6).map { String($0 % 10) }.joined()
    }
    emulation.phoneCodes { $0.add(PhoneCodes.Code(phoneNumber: number, sessionInfo: sessionInfo, code: code)) }
    return .object([JSON.Member("sessionInfo", .string(sessionInfo))])
  }

  /// The codes that were not used yet, the oldest first.
  func listPhoneCodes(_ call: IdentityCall) throws(AccountError) -> JSON {
    let codes = try requireEmulator(call).phoneCodes { $0.codes }.map { code in
      JSON.object([
        JSON.Member("phoneNumber", .string(code.phoneNumber)), JSON.Member("sessionInfo", .string(code.sessionInfo)),
        JSON.Member("code", .string(code.code)),
      ])
    }
    return .object([JSON.Member("verificationCodes", .array(codes))])
  }

  /// `accounts:signInWithPhoneNumber`: comes in, or gives the number to who is signed in.
  func signInWithPhone(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let emulation = try requirePhoneSignIn(call)
    let caller: Caller? = call.value("idToken") == nil ? nil : try caller(call)
    let proof = try call.text("temporaryProof").flatMap { $0.isEmpty ? nil : $0 }
    let number = try provenNumber(proof, emulation, call)
    let owner = store.view.user(phone: number)
    if let caller, let owner, !owner.uid.isSameText(as: caller.user.uid) {
      guard proof == nil else { throw AccountError(.phoneNumberExists) }
      return try keepProof(of: number, emulation)
    }
    var reply = ReplyObject()
    let tokens: TokenTriple
    let user: UserRecord
    if let caller {
      user = try await link(phone: number, to: caller, call)
      tokens = try await continueSession(caller, as: "phone", user: user, call)
    } else {
      user = try await phoneUser(number, owner, call)
      tokens = try await startSession(user: user, provider: "phone", client: call.client, now: call.now)
    }
    reply.set("isNewUser", caller == nil && owner == nil)
    reply.set("phoneNumber", number)
    reply.set("localId", user.uid)
    reply.set(tokens)
    return reply.json
  }

  /// The number that a code, or the proof from an earlier one, is of.
  private func provenNumber(
    _ proof: String?, _ emulation: Emulation, _ call: IdentityCall
  ) throws(AccountError) -> String {
    if let proof {
      let number = try call.text("phoneNumber") ?? ""
      guard emulation.phoneCodes({ $0.proves(number, proof) }) else { throw AccountError(.invalidTemporaryProof) }
      return number
    }
    guard let sessionInfo = try call.text("sessionInfo"), !sessionInfo.isEmpty else {
      throw AccountError(.missingSessionInfo)
    }
    guard let code = try call.text("code"), !code.isEmpty else { throw AccountError(.missingCode) }
    return try emulation.phoneCodes { codes in
      Result { () throws(AccountError) in try codes.take(sessionInfo, code: code) }
    }.get()
  }

  /// The number is somebody else's: the client may sign in to that account with what it gets.
  private func keepProof(of number: String, _ emulation: Emulation) throws(AccountError) -> JSON {
    let proof = PhoneCodes.Proof(phoneNumber: number, text: try newSecretText())
    emulation.phoneCodes { $0.add(proof) }
    var reply = ReplyObject()
    reply.set("temporaryProof", proof.text)
    reply.set("temporaryProofExpiresIn", "3600")
    reply.set("phoneNumber", number)
    return reply.json
  }

  private func phoneUser(
    _ number: String, _ owner: UserRecord?, _ call: IdentityCall
  ) async throws(AccountError) -> UserRecord {
    if let owner {
      guard !owner.isDisabled else { throw AccountError(.userDisabled) }
      try Self.requirePhoneAsFirst(owner)
      return owner
    }
    guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
    var user = UserRecord(uid: try newUID(), createdAtMilliseconds: call.now.wallMilliseconds)
    user.phoneNumber = number
    try await decideCreation(user, provider: "phone", client: call.client)
    return try await insert(user, provider: "phone", client: call.client)
  }

  private func link(phone number: String, to caller: Caller, _ call: IdentityCall) async throws(AccountError)
    -> UserRecord
  {
    try Self.requirePhoneAsFirst(caller.user)
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      user.phoneNumber = number
      try transaction.update(user)
      transaction.audit(
        AuditEvent(.providerLinked, uid: user.uid, email: user.email, client: call.client, detail: "phone"))
      return user
    }
  }

  /// A number cannot be the first factor of who has a phone for the second.
  private static func requirePhoneAsFirst(_ user: UserRecord) throws(AccountError) {
    let hasPhoneFactor = user.factors.contains { if case .phone = $0.kind { true } else { false } }
    guard !hasPhoneFactor else {
      throw AccountError(.unsupportedFirstFactor, "The account has a phone for its second factor already.")
    }
  }
}
