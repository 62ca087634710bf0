import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// Changes what lets a user in: in one step, the tokens so far end, the sessions go, and the caller gets a new one.
  ///
  /// - Parameters:
  ///   - caller: who asked, signed in; nil for somebody else, who gets no tokens.
  ///   - keepsCallerSession: the caller's refresh token stays good as well, for clients that take no new ones here.
  ///   - email: for the audit record; nil takes the account's.
  func changeCredentials(
    of uid: String, caller: Caller?, keepsCallerSession: Bool = false, event: AuditEvent.Kind, detail: String? = nil,
    client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let session: NewSession? =
      if let caller {
        try newSession(
          uid: uid, provider: caller.provider, authTimeSeconds: caller.authTimeSeconds, claims: caller.sessionClaims,
          secondFactor: caller.secondFactor, client: client, now: now)
      } else { nil }
    let (user, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord?) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      try change(&transaction, &user)
      Self.endTokens(of: &user, now: now)
      let kept = keepsCallerSession ? transaction.sessions(of: uid).filter { caller?.owns($0.session) == true } : []
      transaction.removeSessions(of: uid)
      for (hash, session) in kept {
        var session = session
        session.createdAtSeconds = Self.issueSecond(for: user, nowSeconds: now.wallMilliseconds / 1000)
        transaction.putSession(hash, session)
      }
      var record: SessionRecord?
      if let session { record = Self.begin(session, of: &user, in: &transaction, now: now) }
      try transaction.update(user)
      transaction.audit(AuditEvent(event, uid: uid, email: user.email, client: client, detail: detail))
      return (user, record)
    }
    onRevocation(.user(uid: uid, validSinceSeconds: user.validSinceSeconds))
    guard let session, let record else { return (user, nil) }
    return (user, try tokens(of: user, session: record, refreshToken: session.token.text))
  }

  /// Replaces a user's password; their sessions and tokens end. The policy is asked.
  @discardableResult
  func setPassword(
    uid: String, to password: String, isTemporary: Bool = false, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    try await setPassword(
      uid: uid, to: password, isTemporary: isTemporary, caller: nil, client: client, now: now
    ).user
  }

  func setPassword(
    uid: String, to password: String, isTemporary: Bool, caller: Caller?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    guard let user = store.view.user(uid) else { throw AccountError(.userNotFound) }
    let stored = try await hashedPassword(
      password, email: user.email, operation: .change, client: client, now: now)
    let changed = try await changeCredentials(
      of: uid, caller: caller, event: .passwordChanged, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      user.password = stored
      user.hasTemporaryPassword = isTemporary
      transaction.removeTickets(of: uid)
    }
    tell(.passwordChanged, changed.user, client: client)
    return changed
  }

  /// Gives a user another address, unverified; their sessions and tokens end, and the old address is told how to take
  /// it back.
  @discardableResult
  func setEmail(
    uid: String, to email: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    try await setEmail(uid: uid, to: email, caller: nil, client: client, now: now).user
  }

  func setEmail(
    uid: String, to email: String, caller: Caller?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    let recovery = try newCode()
    let changed = try await changeCredentials(
      of: uid, caller: caller, event: .emailChanged, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try Self.moveAddress(
        of: &user, to: address, isVerified: false, recovery: recovery, in: &transaction, now: now)
    }
    mailRecovery(recovery, to: changed.user, from: address, client: client)
    return changed
  }

  /// Changes the address inside a transaction, ends the codes that were mailed, and makes one that takes it back.
  static func moveAddress(
    of user: inout UserRecord, to address: String, isVerified: Bool, recovery: NewCode,
    in transaction: inout AccountTransaction, now: Instant
  ) throws(AccountError) {
    if let owner = transaction.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
    let old = user.email
    user.email = address
    user.isEmailVerified = isVerified
    transaction.removeTickets(of: user.uid)
    guard let old, old != address else { return }
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .recoverEmail, uid: user.uid, email: old, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.recoverEmail.lifetimeSeconds)
    ticket.newEmail = address
    // The address must be the new one when the ticket is kept: tickets of the old one are taken away.
    try transaction.update(user)
    transaction.putTicket(recovery.hash, ticket)
  }

  /// Deletes an account with everything that belongs to it. Its uid is not used again.
  func deleteUser(uid: String, client: ClientInfo, detail: String? = nil) async throws(AccountError) {
    try await deleteUser(uid: uid, caller: nil, client: client, detail: detail)
  }

  func deleteUser(
    uid: String, caller: Caller?, client: ClientInfo, detail: String?
  ) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      transaction.delete(uid)
      transaction.audit(AuditEvent(.userDeleted, uid: uid, email: user.email, client: client, detail: detail))
    }
    onRevocation(.user(uid: uid, validSinceSeconds: .max))
  }
}
