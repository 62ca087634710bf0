import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// Changes what lets a user in: in one step, the tokens so far end, the sessions go, and the caller gets a new one.
  ///
  /// The new session's `auth_time` is now: application servers compare it with the second of the revocation, which would
  /// end it, too. The caller has just shown that they are the user, by a recent sign-in.
  ///
  /// - Parameters:
  ///   - caller: who asked, signed in; nil for somebody else, who gets no tokens.
  ///   - session: what the caller goes on with; nil makes another one of the caller's sign-in.
  ///   - event: for the audit record, with the detail.
  func changeCredentials(
    of uid: String, caller: Caller?, session given: NewSession? = nil, event: AuditEvent.Kind, detail: String? = nil,
    client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let session: NewSession? =
      if let given {
        given
      } else if let caller {
        try newSession(
          uid: uid, provider: caller.provider, claims: sessionClaims(of: caller), secondFactor: caller.secondFactor,
          client: client)
      } else { nil }
    let (user, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord?) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      try change(&transaction, &user)
      transaction.endTokens(of: &user)
      var record: SessionRecord?
      if let session { record = Self.begin(session, of: &user, in: &transaction, now: now) }
      try transaction.update(user)
      transaction.audit(AuditEvent(event, uid: uid, email: user.email, client: client, detail: detail))
      return (user, record)
    }
    onRevocation(.user(uid: uid), event)
    guard let session, let record else { return (user, nil) }
    return (user, try tokens(of: user, session: record, refreshToken: session.token.text))
  }

  /// Replaces a user's password; their sessions and tokens end. The policy is asked.
  ///
  /// - Parameter proven: the account as it was when its old password was shown. When that counts no longer, nothing
  ///   happens.
  @discardableResult
  package func setPassword(
    of proven: UserRecord, to password: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    let stored = try await hashedPassword(
      password, email: proven.email, operation: .change, client: client, now: now)
    let user = try await changeCredentials(
      of: proven.uid, caller: nil, event: .passwordChanged, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try user.requireCredentials(of: proven)
      user.password = stored
      user.hasTemporaryPassword = false
      transaction.removeTickets(of: user.uid, purposes: .endedByChange)
    }.user
    tell(.passwordChanged, user, client: client, now: now)
    return user
  }

  /// Gives a user another address, unverified; their sessions and tokens end, and the old address is told how to take
  /// it back.
  ///
  /// - Parameter proven: as for ``setPassword(of:to:client:now:)``.
  @discardableResult
  package func setEmail(
    of proven: UserRecord, to email: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    try admitSignUp(client, now: now)
    let recovery = try newRecovery(client)
    let user = try await changeCredentials(
      of: proven.uid, caller: nil, event: .emailChanged, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try user.requireCredentials(of: proven)
      try Self.moveAddress(
        of: &user, to: address, isVerified: false, recovery: recovery, in: &transaction, now: now)
    }.user
    mailRecovery(recovery, to: user, from: address, client: client, now: now)
    return user
  }

  /// Changes the address inside a transaction, ends the codes that were mailed, and makes one that takes it back.
  ///
  /// Codes that take back an earlier address stay good: otherwise who has taken an account changes its address twice, and
  /// its owner can do nothing.
  static func moveAddress(
    of user: inout UserRecord, to address: String, isVerified: Bool, recovery: AddressRecovery,
    in transaction: inout AccountTransaction, now: Instant
  ) throws(AccountError) {
    if let owner = transaction.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
    let (old, wasVerified) = (user.email, user.isEmailVerified)
    user.email = address
    user.isEmailVerified = isVerified
    transaction.removeTickets(of: user.uid, purposes: .endedByChange)
    guard let old, !old.isSameText(as: address) else { return }
    let nowSeconds = now.wallMilliseconds / 1000
    // Each later than the one before, also within a second: the earlier address has the better right.
    let last = transaction.tickets(of: user.uid).filter { $0.ticket.purpose == .recoverEmail }
      .map(\.ticket.createdAtSeconds).max()
    var ticket = Ticket(
      purpose: .recoverEmail, uid: user.uid, email: old, createdAtSeconds: max(nowSeconds, last?.plus(1) ?? nowSeconds),
      expiresAtSeconds: nowSeconds + Ticket.Purpose.recoverEmail.lifetimeSeconds)
    ticket.newEmail = address
    ticket.details = recovery.details(wasVerified: wasVerified)
    transaction.putTicket(recovery.code.hash, ticket)
  }

  /// Deletes an account with everything that belongs to it. Whoever gets its uid later has nothing of it, and its tokens
  /// open nothing of theirs.
  ///
  /// - Parameters:
  ///   - caller: who asked, when it is the user with an ID token.
  ///   - proven: the account as it was when its password was shown, when it is the user with that.
  package func deleteUser(
    uid: String, caller: Caller? = nil, proven: UserRecord? = nil, client: ClientInfo, detail: String? = nil
  ) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      if let proven { try user.requireCredentials(of: proven) }
      transaction.delete(uid)
      transaction.audit(AuditEvent(.userDeleted, uid: uid, email: user.email, client: client, detail: detail))
    }
    onRevocation(.user(uid: uid), .userDeleted)
  }
}
