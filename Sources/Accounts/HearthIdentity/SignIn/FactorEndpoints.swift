import HearthAccounts
import HearthTree

/// Second factors: enrolment, removal, and sign-in with them.
struct FactorEndpoints: EndpointGroup {
  let accounts: Accounts

  private var phones: PhoneFactorEndpoints { PhoneFactorEndpoints(accounts: accounts) }

  /// `mfaEnrollment:start`: generates a secret for an authenticator, or sends a code to a phone.
  func startEnrolment(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try accounts.signIn.enrolment.requireAllowed()
    if let phone = try call.object("phoneEnrollmentInfo") { return try await phones.startEnrolment(call, phone) }
    try requirePhones(unlessShown: "idToken", "totpEnrollmentInfo", by: call)
    let caller = try call.caller(in: accounts)
    guard try call.object("totpEnrollmentInfo") != nil else {
      throw AccountError(.invalidArgument, "phoneEnrollmentInfo or totpEnrollmentInfo is missing")
    }
    let enrolment = try await accounts.signIn.enrolment.start(caller, now: call.now)
    var info = ReplyObject()
    info.set("sharedSecretKey", enrolment.secretText)
    info.set("verificationCodeLength", .int(6))
    info.set("hashingAlgorithm", "SHA1")
    info.set("periodSec", .int(30))
    info.set("sessionInfo", enrolment.sessionInfo)
    info.set("finalizeEnrollmentTime", Timestamp.text(milliseconds: enrolment.expiresAtSeconds * 1_000))
    return .object([JSON.Member("totpSessionInfo", info.json)])
  }

  /// `mfaEnrollment:finalize`: completes an enrolment with the authenticator's first code, or the one that was sent.
  func finishEnrolment(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try accounts.signIn.enrolment.requireAllowed()
    if let phone = try call.object("phoneVerificationInfo") { return try await phones.finishEnrolment(call, phone) }
    try requirePhones(unlessShown: "idToken", "totpVerificationInfo", by: call)
    let caller = try call.caller(in: accounts)
    let proof = try factorProof(call)
    guard let sessionInfo = try proof.text("sessionInfo"), !sessionInfo.isEmpty else {
      throw AccountError(.missingSessionInfo)
    }
    guard let code = try proof.text("verificationCode"), !code.isEmpty else { throw AccountError(.missingCode) }
    let enrolled = try await accounts.signIn.enrolment.finish(
      caller, sessionInfo: sessionInfo, code: code,
      displayName: try call.text("displayName", sizeBytesMax: UserRecord.nameBytesMax),
      makesRecoveryCodes: try call.bool("recoveryCodes") ?? false, client: call.client, now: call.now)
    return Self.reply(enrolled.tokens, "totpAuthInfo", recoveryCodes: enrolled.recoveryCodes)
  }

  /// `mfaEnrollment:recoveryCodes`: replaces all recovery codes, for a caller signed in with a second factor. They are
  /// this server's own; a user enters one in the place of the factor's code.
  func makeRecoveryCodes(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let caller = try call.caller(in: accounts)
    let codes = try await accounts.changes.recoveryCodes.replace(caller, client: call.client, now: call.now)
    return .object([JSON.Member("recoveryCodes", .array(codes.map { .string($0) }))])
  }

  /// `mfaEnrollment:withdraw`: removes a second factor.
  func withdrawFactor(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let caller = try call.caller(in: accounts)
    guard let id = try call.text("mfaEnrollmentId"), !id.isEmpty else { throw AccountError(.missingEnrolmentID) }
    let (_, tokens) = try await accounts.signIn.enrolment.withdraw(
      caller, enrolment: id, client: call.client, now: call.now)
    var reply = ReplyObject()
    reply.set(tokens)
    return reply.json
  }

  /// `mfaSignIn:start`: sends a code to a phone. Authenticators need no such request.
  func startSecondFactor(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try requirePhones(unlessShown: "mfaPendingCredential", by: call)
    return try await phones.startSignIn(call)
  }

  /// `mfaSignIn:finalize`: completes a sign-in with a second factor.
  func finishSecondFactor(_ call: IdentityCall) async throws(AccountError) -> JSON {
    if let phone = try call.object("phoneVerificationInfo") { return try await phones.finishSignIn(call, phone) }
    try requirePhones(unlessShown: "mfaPendingCredential", "totpVerificationInfo", by: call)
    let pending = try call.pendingCredential()
    let proof = try factorProof(call)
    guard let enrolment = try call.text("mfaEnrollmentId"), !enrolment.isEmpty else {
      throw AccountError(.missingEnrolmentID)
    }
    guard let code = try proof.text("verificationCode"), !code.isEmpty else { throw AccountError(.missingCode) }
    let signedIn = try await accounts.signIn.secondFactors.finish(
      pending: pending, enrolment: enrolment, code: code, client: call.client, now: call.now)
    return Self.reply(signedIn.tokens, "totpAuthInfo", recoveryCodesLeft: signedIn.user.recoveryCodes.count)
  }

  /// Refuses a request that has none of the members where phones cannot be second factors. A request with one of them is not
  /// refused: an enrolled phone can be used also where none can be enrolled any more.
  private func requirePhones(unlessShown members: String..., by call: IdentityCall) throws(AccountError) {
    guard members.allSatisfy({ call.value($0) == nil }) else { return }
    try accounts.signIn.enrolment.requireAllowed()
    try accounts.signIn.enrolment.requirePhones(isEmulated: call.isEmulated(in: accounts))
  }

  private func factorProof(_ call: IdentityCall) throws(AccountError) -> IdentityCall {
    guard let proof = try call.object("totpVerificationInfo") else {
      throw AccountError(.invalidArgument, "phoneVerificationInfo or totpVerificationInfo is missing")
    }
    return call.with(proof)
  }

  /// The response that ends an enrolment or a sign-in.
  ///
  /// - Parameter info: the member that names the kind of factor.
  static func reply(
    _ tokens: TokenTriple, _ info: String, recoveryCodes: [String]? = nil, recoveryCodesLeft: Int? = nil
  ) -> JSON {
    var reply = ReplyObject()
    reply.set(tokens)
    reply.set(info, JSON.object([]))
    reply.set("recoveryCodes", list: recoveryCodes?.map { .string($0) } ?? [])
    reply.set("recoveryCodesLeft", recoveryCodesLeft.map { .int(Int64($0)) })
    return reply.json
  }
}
