import HearthCrypto
import HearthEngine
import HearthTree

/// Adds second factors to accounts, and removes them.
package struct FactorEnrolment: Sendable {
  private static let purpose = "second-factor-enrolment"

  let context: AccountsContext
  let sessions: Sessions
  let changes: CredentialChangeService
  let phones: PhoneFactors
  let recovery: RecoveryCodes
  var tries: FactorAttemptLimiter { FactorAttemptLimiter(context: context) }

  /// The start of an authenticator's enrolment.
  package struct Start: Sendable, Redacted {
    /// The secret, in base 32.
    package let secretText: String
    /// The text that stands for the pending enrolment.
    package let sessionInfo: String
    /// The end of the enrolment, in seconds since 1970.
    package let expiresAtSeconds: Int64
  }

  /// An added second factor.
  package struct Enrolled: Sendable, Redacted {
    /// The account with the factor.
    package let user: UserRecord
    /// The caller's new tokens, which say that the factor was shown.
    package let tokens: TokenTriple
    /// The new recovery codes, shown only once; nil when none were requested.
    package let recoveryCodes: [String]?
  }

  /// Generates the secret of an authenticator for the caller.
  ///
  /// - Throws: `credentialTooOld`, `operationNotAllowed`, `unsupportedFirstFactor`, `unverifiedEmail`,
  ///   `secondFactorExists`, `secondFactorLimit`.
  package func start(_ caller: Caller, now: Instant) async throws(AccountError) -> Start {
    try changes.require([.factorEnrolled], of: caller, now: now)
    try requireAuthenticators()
    try requireEnrollable(caller, caller.user) { $0.kind.isAuthenticator }
    let secret = try context.secrets.draw { (random) throws(RandomnessError) in try TOTP.newSecret(random: random) }
    let sealed = try context.secrets.draw { (_) throws(RandomnessError) in
      try context.keys.seal(secret, for: Self.purpose)
    }
    let code = try context.secrets.code()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .factorEnrolment, uid: caller.user.uid, email: caller.user.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.factorEnrolment.lifetimeSeconds)
    ticket.details = sealed
    try await context.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    return Start(
      secretText: TOTP.base32(secret), sessionInfo: code.text, expiresAtSeconds: ticket.expiresAtSeconds)
  }

  /// Enrols an authenticator by its first code.
  ///
  /// - Parameter makesRecoveryCodes: true to create new recovery codes.
  /// - Throws: `credentialTooOld`, `invalidSessionInfo`, `sessionExpired`, `tooManyAttempts`, `invalidCode`; the errors
  ///   of ``start(_:now:)``.
  package func finish(
    _ caller: Caller, sessionInfo: String, code: String, displayName: String?, makesRecoveryCodes: Bool = false,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Enrolled {
    try changes.require([.factorEnrolled], of: caller, now: now)
    try requireAuthenticators()
    let uid = caller.user.uid
    let hash = Digest(sha256: sessionInfo.utf8)
    guard let seen = context.store.view.ticket(hash), seen.purpose == .factorEnrolment, seen.uid == uid else {
      throw AccountError(.invalidSessionInfo)
    }
    guard !seen.isExpired(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.sessionExpired) }
    let ticket = try await tries.count(hash, uid: uid, otherwise: .sessionExpired, now: now)
    guard let secret = ticket.details.flatMap({ context.keys.unseal($0, for: Self.purpose) }) else {
      throw AccountError(.invalidSessionInfo)
    }
    guard
      let step = TOTP.matchingStep(
        secret: secret, code: code, nowSeconds: now.wallMilliseconds / 1000,
        window: context.configuration.secondFactors.totpAdjacentIntervals, after: -1)
    else {
      await context.audit.record(AuditEvent(.factorFailed, uid: uid, email: caller.user.email, client: client))
      throw AccountError(.invalidCode)
    }
    let sealed = try context.secrets.draw { (_) throws(RandomnessError) in try context.keys.seal(secret) }
    let factor = SecondFactor(
      id: try context.secrets.uid(), kind: .totp(sealedSecret: sealed, lastAcceptedStep: step),
      displayName: displayName,
      enrolledAtMilliseconds: now.wallMilliseconds)
    return try await enrol(
      factor, of: caller, ticket: hash, makesRecoveryCodes: makesRecoveryCodes, client: client, now: now)
  }

  /// Adds a verified second factor of any kind: the last step of every enrolment. The account's other sessions end.
  ///
  /// - Parameters:
  ///   - hash: the hash of the enrolment's ticket, which is consumed.
  ///   - makesRecoveryCodes: true to create new recovery codes.
  /// - Throws: `sessionExpired` when the ticket is gone; the errors of ``requireEnrollable(_:_:isSame:)``.
  func enrol(
    _ factor: SecondFactor, of caller: Caller, ticket hash: Digest, makesRecoveryCodes: Bool, client: ClientInfo,
    now: Instant
  ) async throws(AccountError) -> Enrolled {
    let uid = caller.user.uid
    var enrolled = caller.user
    enrolled.factors.append(factor)
    let session = try await sessions.prepare(
      of: enrolled, provider: caller.provider, claims: sessions.claims(of: caller), secondFactor: factor.id,
      attributes: caller.signInAttributes, client: client)
    let recoveryCodes = makesRecoveryCodes ? try recovery.generate(for: uid) : nil
    let (user, tokens) = try await changes.change(
      [.factorEnrolled], of: uid, by: .session(caller, .given(session)), detail: factor.kind.provider, client: client,
      now: now
    ) { (transaction, user) throws(AccountError) in
      try requireEnrollable(caller, user) { $0.isLike(factor) }
      guard transaction.ticket(hash)?.uid == uid else { throw AccountError(.sessionExpired) }
      transaction.removeTicket(hash)
      user.factors.append(factor)
      if let recoveryCodes { user.recoveryCodes = recoveryCodes.hashes }
    }
    guard let tokens else { throw AccountError(.internalError) }
    return Enrolled(user: user, tokens: tokens, recoveryCodes: recoveryCodes?.texts)
  }

  private func requireAuthenticators() throws(AccountError) {
    guard context.configuration.secondFactors.totp else {
      throw AccountError(.operationNotAllowed, "Authenticator apps are disabled as second factors.")
    }
  }

  /// Refuses where the configuration does not allow second factors, for every caller.
  ///
  /// - Throws: `operationNotAllowed`.
  package func requireAllowed() throws(AccountError) {
    guard context.configuration.secondFactors.policy != .off else {
      throw AccountError(.operationNotAllowed, "Second factors are disabled.")
    }
  }

  /// Checks that the caller may add a second factor.
  ///
  /// - Parameter isSame: returns true for an enrolled factor that equals the new one and so prevents it.
  /// - Throws: `operationNotAllowed`, `unsupportedFirstFactor`, `unverifiedEmail`, `secondFactorExists`,
  ///   `secondFactorLimit`.
  func requireEnrollable(
    _ caller: Caller, _ user: UserRecord, isSame: (SecondFactor) -> Bool
  ) throws(AccountError) {
    try requireAllowed()
    guard !ProviderID.withoutSecondFactor.contains(caller.provider) else {
      throw AccountError(.unsupportedFirstFactor, "MFA is not available for the given first factor.")
    }
    // A user who does not own the address could lock its owner out for good. Where several accounts may have an
    // address, accounts that only providers open have none.
    guard user.email == nil ? !user.identities.isEmpty : user.isEmailVerified else {
      throw AccountError(.unverifiedEmail, "Need to verify email first before enrolling second factors.")
    }
    if let same = user.factors.first(where: isSame) {
      throw AccountError(
        .secondFactorExists,
        same.kind.isAuthenticator ? nil : "Phone number already enrolled as second factor for this account.")
    }
    guard user.factors.count < context.configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
  }

  /// Removes a second factor. The user's existing tokens become invalid.
  ///
  /// - Parameter enrolment: the factor's id.
  /// - Throws: `credentialTooOld`, `secondFactorNotFound`.
  package func withdraw(
    _ caller: Caller, enrolment: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    try changes.require([.factorWithdrawn], of: caller, now: now)
    return try await changes.change(
      [.factorWithdrawn], of: caller.user.uid, by: .session(caller, .following), client: client, now: now
    ) { (_, user) throws(AccountError) in
      guard user.factors.contains(where: { $0.id == enrolment }) else { throw AccountError(.secondFactorNotFound) }
      user.factors.removeAll { $0.id == enrolment }
      user.removeUnneededRecoveryCodes()
    }
  }
}

extension SecondFactor {
  /// Returns true when another factor is the same to its owner: a second authenticator, or the same phone.
  fileprivate func isLike(_ other: SecondFactor) -> Bool {
    kind.isAuthenticator && other.kind.isAuthenticator || kind == other.kind
  }
}
