import HearthCrypto
import HearthEngine
import HearthTree

/// What a first factor leads to.
package enum SignInResult: Sendable {
  /// They are in.
  case tokens(TokenTriple)
  /// The account has a second factor: a random text stands for the first.
  case pending(String)
}

extension Accounts {
  /// Lets somebody in whose first factor was right, or asks for the second one.
  ///
  /// - Parameter user: as it was when the credential was checked.
  package func finishSignIn(
    _ user: UserRecord, provider: String, claims: [ClaimValue.Member] = [], client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInResult {
    guard !user.factors.isEmpty else {
      return .tokens(
        try await startSession(user: user, provider: provider, claims: claims, client: client, now: now))
    }
    let code = try newCode()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .pendingSecondFactor, uid: user.uid, email: user.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.pendingSecondFactor.lifetimeSeconds)
    ticket.details = PendingSignIn(provider: provider, claims: claims, user: user).text
    let kept = ticket
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, kept)
    }
    return .pending(code.text)
  }

  /// The second factor of a sign-in.
  ///
  /// - Parameters:
  ///   - pending: the text that stands for the first factor.
  ///   - enrolment: the factor's id; nil takes the only authenticator there is.
  package func finishSecondFactor(
    pending: String, enrolment: String?, code: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let hash = Digest(sha256: pending.utf8)
    guard let seen = store.view.ticket(hash), seen.purpose == .pendingSecondFactor, let uid = seen.uid,
      !seen.isOver(nowSeconds: now.wallMilliseconds / 1000)
    else { throw AccountError(.invalidPendingCredential) }
    let ticket = try await countTry(hash, uid: uid, code: .invalidPendingCredential, now: now)
    guard let details = PendingSignIn(ticket.details), let user = store.view.user(uid) else {
      throw AccountError(.invalidPendingCredential)
    }
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard details.isCurrent(user) else { throw AccountError(.invalidPendingCredential) }
    let factor = try authenticator(enrolment, of: user)
    guard let step = matchingStep(code, factor.sealedSecret, after: factor.lastAcceptedStep, now: now) else {
      await auditQuietly(AuditEvent(.factorFailed, uid: uid, email: user.email, client: client))
      throw AccountError(.invalidCode)
    }
    let tokens = try await startSession(
      user: user, provider: details.provider, claims: details.claims, secondFactor: factor.id, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      guard transaction.ticket(hash)?.purpose == .pendingSecondFactor else {
        throw AccountError(.invalidPendingCredential)
      }
      transaction.removeTicket(hash)
      // A code counts once, also for another sign-in under way.
      try user.accept(step, of: factor.id)
    }
    return (user, tokens)
  }

  private func authenticator(
    _ id: String?, of user: UserRecord
  ) throws(AccountError) -> (id: String, sealedSecret: String, lastAcceptedStep: Int64) {
    guard let factor = user.factors.first(where: { id == nil ? $0.kind.provider == "totp" : $0.id == id }) else {
      throw AccountError(.secondFactorNotFound)
    }
    guard case .totp(let sealedSecret, let lastAcceptedStep) = factor.kind else {
      throw AccountError(.notImplemented, "No text messages are sent from here.")
    }
    return (factor.id, sealedSecret, lastAcceptedStep)
  }

  private func matchingStep(_ code: String, _ sealedSecret: String, after last: Int64, now: Instant) -> Int64? {
    guard let secret = keys.unseal(sealedSecret) else {
      environment.notice(AccountsNotice(.error, "the secret of an authenticator cannot be unsealed"))
      return nil
    }
    return TOTP.matchingStep(
      secret: secret, code: code, nowSeconds: now.wallMilliseconds / 1000, after: last)
  }

  /// Counts a try before the code is looked at, so that tries side by side are all counted.
  private func countTry(
    _ hash: Digest, uid: String, code: AccountError.Code, now: Instant
  ) async throws(AccountError) -> Ticket {
    guard throttle.admitCodeTry(account: uid, now: now) else {
      throw AccountError(.tooManyAttempts, "Too many codes were tried. Try again later.")
    }
    let ticket = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> Ticket? in
      guard var ticket = transaction.ticket(hash), ticket.uid == uid else { return nil }
      ticket.failedTries += 1
      if ticket.failedTries > Ticket.failedTriesMax {
        transaction.removeTicket(hash)
        return nil
      }
      transaction.putTicket(hash, ticket)
      return ticket
    }
    guard let ticket else { throw AccountError(code) }
    return ticket
  }

  // MARK: Enrolment

  private static let enrolmentPurpose = "second-factor-enrolment"

  /// An authenticator that is about to be enrolled.
  package struct Enrolment: Sendable {
    /// In base 32.
    package var secretText: String
    /// Stands for the enrolment under way.
    package var sessionInfo: String
    /// When it is too late to finish it.
    package var expiresAtSeconds: Int64
  }

  /// Draws the secret of an authenticator for who is signed in.
  ///
  /// - Throws: `credentialTooOld`, `unsupportedFirstFactor`, `unverifiedEmail`, `secondFactorExists`, `secondFactorLimit`.
  package func startEnrolment(_ caller: Caller, client: ClientInfo, now: Instant) async throws(AccountError)
    -> Enrolment
  {
    try requireRecentSignIn(caller, now: now)
    try requireEnrollable(caller, caller.user)
    let secret = try drawn { (random) throws(RandomnessError) in try TOTP.newSecret(random: random) }
    let sealed = try drawn { (_) throws(RandomnessError) in try keys.seal(secret, for: Self.enrolmentPurpose) }
    let code = try newCode()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .factorEnrolment, uid: caller.user.uid, email: caller.user.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.factorEnrolment.lifetimeSeconds)
    ticket.details = sealed
    let kept = ticket
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, kept)
    }
    return Enrolment(
      secretText: TOTP.base32(secret), sessionInfo: code.text, expiresAtSeconds: ticket.expiresAtSeconds)
  }

  /// Enrols an authenticator, whose first code shows that it has the secret. The tokens that come back name the factor.
  ///
  /// - Throws: `invalidSessionInfo`, `sessionExpired`, `invalidCode`, and what ``startEnrolment(_:client:now:)`` throws.
  package func finishEnrolment(
    _ caller: Caller, sessionInfo: String, code: String, displayName: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    try requireRecentSignIn(caller, now: now)
    let uid = caller.user.uid
    let hash = Digest(sha256: sessionInfo.utf8)
    guard let seen = store.view.ticket(hash), seen.purpose == .factorEnrolment, seen.uid == uid else {
      throw AccountError(.invalidSessionInfo)
    }
    guard !seen.isOver(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.sessionExpired) }
    let ticket = try await countTry(hash, uid: uid, code: .sessionExpired, now: now)
    guard let secret = ticket.details.flatMap({ keys.unseal($0, for: Self.enrolmentPurpose) }) else {
      throw AccountError(.invalidSessionInfo)
    }
    guard
      let step = TOTP.matchingStep(secret: secret, code: code, nowSeconds: now.wallMilliseconds / 1000, after: -1)
    else {
      await auditQuietly(AuditEvent(.factorFailed, uid: uid, email: caller.user.email, client: client))
      throw AccountError(.invalidCode)
    }
    let sealed = try drawn { (_) throws(RandomnessError) in try keys.seal(secret) }
    let factor = SecondFactor(
      id: try newUID(), kind: .totp(sealedSecret: sealed, lastAcceptedStep: step), displayName: displayName,
      enrolledAtMilliseconds: now.wallMilliseconds)
    let session = try newSession(
      uid: uid, provider: caller.provider, claims: sessionClaims(of: caller), secondFactor: factor.id, client: client)
    let (user, record) = try await store.transact {
      [self] (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      try requireEnrollable(caller, user)
      guard transaction.ticket(hash)?.purpose == .factorEnrolment else { throw AccountError(.sessionExpired) }
      transaction.removeTicket(hash)
      // Sign-ins that are half done would have to show a factor that they were not told of.
      transaction.removeTickets(of: uid, purposes: [.pendingSecondFactor])
      user.factors.append(factor)
      let record = Self.begin(
        session, of: &user, in: &transaction, now: now, authTimeSeconds: caller.authTimeSeconds)
      try transaction.update(user)
      transaction.audit(AuditEvent(.factorEnrolled, uid: uid, email: user.email, client: client, detail: "totp"))
      return (user, record)
    }
    return (user, try tokens(of: user, session: record, refreshToken: session.token.text))
  }

  private func requireEnrollable(_ caller: Caller, _ user: UserRecord) throws(AccountError) {
    guard !["anonymous", "custom", "phone"].contains(caller.provider) else {
      throw AccountError(.unsupportedFirstFactor)
    }
    // Who does not own the address could lock its owner out for good.
    guard user.email != nil, user.isEmailVerified else { throw AccountError(.unverifiedEmail) }
    guard !user.factors.contains(where: { $0.kind.provider == "totp" }) else {
      throw AccountError(.secondFactorExists)
    }
    guard user.factors.count < configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
  }

  /// Takes a second factor away; the tokens so far end.
  ///
  /// - Throws: `credentialTooOld`, `secondFactorNotFound`.
  package func withdrawFactor(
    _ caller: Caller, enrolment: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    try requireRecentSignIn(caller, now: now)
    return try await changeCredentials(
      of: caller.user.uid, caller: caller, event: .factorRemoved, client: client, now: now
    ) { (_, user) throws(AccountError) in
      guard user.factors.contains(where: { $0.id == enrolment }) else { throw AccountError(.secondFactorNotFound) }
      user.factors.removeAll { $0.id == enrolment }
    }
  }
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
