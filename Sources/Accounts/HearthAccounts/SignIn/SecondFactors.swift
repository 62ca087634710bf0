import HearthCrypto
import HearthEngine
import HearthTree

/// The second step of signing in: requests a second factor, and checks it.
package struct SecondFactors: Sendable {
  let context: AccountsContext
  let sessions: Sessions
  let phones: PhoneFactors
  let recovery: RecoveryCodes
  private var tries: FactorAttemptLimiter { FactorAttemptLimiter(context: context) }

  /// The step that follows a first factor.
  package enum Step: Sendable {
    /// The user is signed in.
    case signedIn(SignInResult)
    /// The account requires a second factor; the random text stands for the first.
    case pending(String, UserRecord)

    /// The account.
    package var user: UserRecord {
      switch self {
      case .signedIn(let signedIn): signedIn.user
      case .pending(_, let user): user
      }
    }

    /// True when the account was created with this sign-in.
    package var isNew: Bool { if case .signedIn(let signedIn) = self { signedIn.isNew } else { false } }
  }

  /// Completes the sign-in of a user whose first factor was right, or asks for the second one.
  ///
  /// - Throws: the errors of ``Sessions/start(of:secondFactor:client:now:change:)``.
  package func continueAfterFirstFactor(
    of authenticated: AuthenticatedUser, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Step {
    let user = authenticated.user
    guard !user.factors.isEmpty else {
      return .signedIn(try await sessions.start(of: authenticated, client: client, now: now))
    }
    let code = try context.secrets.code()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .pendingSecondFactor, uid: user.uid, email: user.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.pendingSecondFactor.lifetimeSeconds)
    ticket.details = PendingSignIn(authenticated).text
    try await context.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    return .pending(code.text, user)
  }

  /// A sign-in that awaits its second factor, found by the text that stands for its first.
  struct Pending: Sendable {
    let hash: Digest
    let details: PendingSignIn
    let user: UserRecord
  }

  /// Completes a sign-in with an authenticator's code, or a recovery code in the place of any factor's.
  ///
  /// - Parameters:
  ///   - pending: the text that stands for the first factor.
  ///   - enrolment: the factor's id; nil for the only authenticator.
  /// - Throws: the errors of ``pending(_:isTry:now:)``; `secondFactorNotFound`, `invalidArgument` for a phone,
  ///   `invalidCode`.
  package func finish(
    pending text: String, enrolment: String?, code: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInResult {
    let pending = try await pending(text, now: now)
    if let hash = try recovery.hash(ofShown: code, pending.user.uid) {
      return try await finish(pending, enrolment: enrolment, recoveryCode: hash, client: client, now: now)
    }
    let factor = try authenticator(enrolment, of: pending.user)
    guard let step = matchingStep(code, factor.sealedSecret, after: factor.lastAcceptedStep, now: now) else {
      throw await refused(pending, client)
    }
    return try await complete(pending, showing: factor.id, client: client, now: now) {
      (_, user) throws(AccountError) in
      // A code is valid once, also across concurrent sign-ins.
      try user.accept(step, of: factor.id)
    }
  }

  func finish(
    _ pending: Pending, enrolment: String?, recoveryCode hash: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInResult {
    let factors = pending.user.factors
    guard let factor = factors.first(where: { enrolment == nil || $0.id == enrolment }) else {
      throw AccountError(.secondFactorNotFound)
    }
    guard pending.user.recoveryCodes.contains(where: { $0.isSameText(as: hash) }) else {
      throw await refused(pending, client)
    }
    let signedIn = try await complete(pending, showing: factor.id, client: client, now: now) {
      (transaction, user) throws(AccountError) in
      try user.useRecoveryCode(hash)
      transaction.audit(
        AuditEvent(
          .codeUsed, uid: user.uid, email: user.email, client: client,
          detail: "recovery code, \(user.recoveryCodes.count) left"))
    }
    context.mails.notify(.recoveryCodeUsed, signedIn.user, client: client, now: now)
    return signedIn
  }

  /// Finds a sign-in that awaits its second factor.
  ///
  /// - Parameter isTry: true to count an attempt.
  /// - Throws: `invalidPendingCredential`, `tooManyAttempts`, `userDisabled`.
  func pending(_ text: String, isTry: Bool = true, now: Instant) async throws(AccountError) -> Pending {
    let hash = Digest(sha256: text.utf8)
    guard let seen = context.store.view.ticket(hash), seen.purpose == .pendingSecondFactor, let uid = seen.uid,
      !seen.isExpired(nowSeconds: now.wallMilliseconds / 1000)
    else { throw AccountError(.invalidPendingCredential) }
    let ticket =
      isTry ? try await tries.count(hash, uid: uid, otherwise: .invalidPendingCredential, now: now) : seen
    guard let details = PendingSignIn(ticket.details), let user = context.store.view.user(uid) else {
      throw AccountError(.invalidPendingCredential)
    }
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard details.isCurrent(user) else { throw AccountError(.invalidPendingCredential) }
    return Pending(hash: hash, details: details, user: user)
  }

  /// Completes a sign-in with a second factor of any kind.
  ///
  /// - Parameters:
  ///   - factor: its enrolment id.
  ///   - change: runs in the same transaction, for example to consume a code.
  func complete(
    _ pending: Pending, showing factor: String, client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> SignInResult {
    let (hash, details) = (pending.hash, pending.details)
    return try await sessions.start(
      of: AuthenticatedUser(
        pending.user, SignInContext(details.provider, method: details.method, attributes: details.attributes),
        claims: details.claims),
      secondFactor: factor, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      guard transaction.ticket(hash)?.purpose == .pendingSecondFactor else {
        throw AccountError(.invalidPendingCredential)
      }
      transaction.removeTicket(hash)
      try change(&transaction, &user)
    }
  }

  /// Records a wrong code, and returns its error.
  func refused(_ pending: Pending, _ client: ClientInfo) async -> AccountError {
    await context.audit.record(
      AuditEvent(.factorFailed, uid: pending.user.uid, email: pending.user.email, client: client))
    return AccountError(.invalidCode)
  }

  private func authenticator(
    _ id: String?, of user: UserRecord
  ) throws(AccountError) -> (id: String, sealedSecret: String, lastAcceptedStep: Int64) {
    guard let factor = user.factors.first(where: { id == nil ? $0.kind.isAuthenticator : $0.id == id }) else {
      throw AccountError(.secondFactorNotFound)
    }
    guard case .totp(let sealedSecret, let lastAcceptedStep) = factor.kind else {
      throw AccountError(.invalidArgument, "This second factor is a phone: send its code in phoneVerificationInfo.")
    }
    return (factor.id, sealedSecret, lastAcceptedStep)
  }

  private func matchingStep(_ code: String, _ sealedSecret: String, after last: Int64, now: Instant) -> Int64? {
    guard let secret = context.keys.unseal(sealedSecret) else {
      context.notice(AccountsNotice(.error, "the secret of an authenticator cannot be unsealed"))
      return nil
    }
    return TOTP.matchingStep(
      secret: secret, code: code, nowSeconds: now.wallMilliseconds / 1000,
      window: context.configuration.secondFactors.totpAdjacentIntervals, after: last)
  }
}

extension SecondFactor.Kind {
  /// True for an authenticator app.
  var isAuthenticator: Bool { if case .totp = self { true } else { false } }
}

extension UserRecord {
  /// Notes that the code of a step was used.
  fileprivate mutating func accept(_ step: Int64, of id: String) throws(AccountError) {
    guard let index = factors.firstIndex(where: { $0.id == id }),
      case .totp(let sealedSecret, let last) = factors[index].kind, step > last
    else { throw AccountError(.invalidCode) }
    factors[index].kind = .totp(sealedSecret: sealedSecret, lastAcceptedStep: step)
  }
}
