import HearthCrypto
import HearthEngine

/// Phones as second factors.
extension FactorEnrolment {
  /// - Throws: `operationNotAllowed` where phones cannot be second factors.
  package func requirePhones(isEmulated: Bool) throws(AccountError) { try phones.requireFactor(isEmulated: isEmulated) }

  /// Sends a code to a phone that is to become a second factor of the caller.
  ///
  /// - Parameter number: E.164.
  /// - Returns: the session text of the code.
  /// - Throws: `operationNotAllowed` where phones cannot be second factors; the errors of ``start(_:now:)`` and
  ///   ``PhoneCodes/send(_:_:)``.
  package func start(
    _ caller: Caller, phone number: String, _ request: PhoneRequest
  ) async throws(AccountError) -> String {
    try phones.requireFactor(isEmulated: request.isEmulated)
    try changes.require([.factorEnrolled], of: caller, now: request.now)
    try requireEnrollable(caller, caller.user) { $0.kind == .phone(number) }
    let codeRequest = PhoneCodes.CodeRequest(purpose: .phoneEnrolment, number: number, user: caller.user)
    return try await phones.codes.send(codeRequest, request)
  }

  /// Enrols a phone by its code.
  ///
  /// - Parameter makesRecoveryCodes: true to create new recovery codes.
  /// - Throws: `operationNotAllowed`, `credentialTooOld`, `invalidSessionInfo`, `sessionExpired`, `tooManyAttempts`,
  ///   `invalidCode`; the errors of ``start(_:phone:_:)``.
  package func finish(
    _ caller: Caller, phone sessionInfo: String, code: String, displayName: String?, makesRecoveryCodes: Bool = false,
    _ request: PhoneRequest
  ) async throws(AccountError) -> Enrolled {
    try phones.requireFactor(isEmulated: request.isEmulated)
    let now = request.now
    try changes.require([.factorEnrolled], of: caller, now: now)
    let uid = caller.user.uid
    let hash = Digest(sha256: sessionInfo.utf8)
    guard let seen = context.store.view.ticket(hash), seen.purpose == .phoneEnrolment, seen.uid == uid,
      let number = seen.phoneNumber
    else { throw AccountError(.invalidSessionInfo) }
    guard !seen.isExpired(nowSeconds: now.wallMilliseconds / 1_000) else { throw AccountError(.sessionExpired) }
    let ticket = try await tries.count(hash, uid: uid, otherwise: .sessionExpired, now: now)
    guard phones.codes.isRight(code, sessionInfo, for: ticket) else {
      await context.audit.record(AuditEvent(.factorFailed, uid: uid, email: caller.user.email, client: request.client))
      throw AccountError(.invalidCode)
    }
    try requireEnrollable(caller, caller.user) { $0.kind == .phone(number) }
    let factor = SecondFactor(
      id: try context.secrets.uid(), kind: .phone(number), displayName: displayName,
      enrolledAtMilliseconds: now.wallMilliseconds)
    return try await enrol(
      factor, of: caller, ticket: hash, makesRecoveryCodes: makesRecoveryCodes, client: request.client, now: now)
  }
}

/// The codes for phones as second factors, at enrolment and at sign-in.
struct PhoneFactors: Sendable {
  let context: AccountsContext
  let codes: PhoneCodes

  /// - Throws: `operationNotAllowed` where phones cannot be second factors.
  func requireFactor(isEmulated: Bool) throws(AccountError) {
    let isOn = isEmulated || context.configuration.phone.secondFactor
    guard isOn, context.settings.tenant?.hasPhoneFactors ?? true else {
      throw AccountError(.operationNotAllowed, "SMS based MFA not enabled.")
    }
  }
}
