import HearthAccounts
import HearthTree

/// Phones as second factors, called by ``FactorEndpoints``.
struct PhoneFactorEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `mfaEnrollment:start` with `phoneEnrollmentInfo`: sends a code.
  func startEnrolment(_ call: IdentityCall, _ info: JSON) async throws(AccountError) -> JSON {
    let caller = try call.caller(in: accounts)
    let sessionInfo = try await accounts.signIn.enrolment.start(
      caller, phone: try call.with(info).text("phoneNumber") ?? "", try call.phoneRequest(in: accounts, info: info))
    return Self.session("phoneSessionInfo", sessionInfo)
  }

  /// `mfaEnrollment:finalize` with `phoneVerificationInfo`: enrols the phone.
  func finishEnrolment(_ call: IdentityCall, _ info: JSON) async throws(AccountError) -> JSON {
    let caller = try call.caller(in: accounts)
    let (sessionInfo, code) = try call.with(info).phoneCode()
    let enrolled = try await accounts.signIn.enrolment.finish(
      caller, phone: sessionInfo, code: code,
      displayName: try call.text("displayName", sizeBytesMax: UserRecord.nameBytesMax),
      makesRecoveryCodes: try call.bool("recoveryCodes") ?? false, try call.phoneRequest(in: accounts))
    return FactorEndpoints.reply(enrolled.tokens, "phoneAuthInfo", recoveryCodes: enrolled.recoveryCodes)
  }

  /// `mfaSignIn:start`: sends a code.
  func startSignIn(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let pending = try call.pendingCredential()
    guard let enrolment = try call.text("mfaEnrollmentId"), !enrolment.isEmpty else {
      throw AccountError(.missingEnrolmentID, "No second factor identifier is provided.")
    }
    let info = try call.object("phoneSignInInfo") ?? .object([])
    let sessionInfo = try await accounts.signIn.secondFactors.start(
      pending: pending, enrolment: enrolment, try call.phoneRequest(in: accounts, info: info))
    return Self.session("phoneResponseInfo", sessionInfo)
  }

  /// `mfaSignIn:finalize` with `phoneVerificationInfo`: completes the sign-in. Clients name no enrolment: the code was
  /// sent to one.
  func finishSignIn(_ call: IdentityCall, _ info: JSON) async throws(AccountError) -> JSON {
    let pending = try call.pendingCredential()
    let (sessionInfo, code) = try call.with(info).phoneCode()
    let signedIn = try await accounts.signIn.secondFactors.finish(
      pending: pending, phone: sessionInfo, code: code, try call.phoneRequest(in: accounts))
    return FactorEndpoints.reply(signedIn.tokens, "phoneAuthInfo", recoveryCodesLeft: signedIn.user.recoveryCodes.count)
  }

  private static func session(_ name: String, _ sessionInfo: String) -> JSON {
    .object([JSON.Member(name, .object([JSON.Member("sessionInfo", .string(sessionInfo))]))])
  }
}

extension IdentityCall {
  /// The text that stands for the first factor.
  ///
  /// - Throws: `missingPendingCredential`.
  func pendingCredential() throws(AccountError) -> String {
    guard let pending = try text("mfaPendingCredential"), !pending.isEmpty else {
      throw AccountError(.missingPendingCredential)
    }
    return pending
  }
}
