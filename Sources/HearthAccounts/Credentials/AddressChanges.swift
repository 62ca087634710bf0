import HearthEngine

/// Changes the e-mail address of accounts. The old address is mailed a link that undoes the change.
package struct AddressChanges: Sendable {
  private let changes: CredentialChanges
  private let callers: Callers
  private let codes: ActionCodes
  private let mails: AccountMails
  private let signUp: SignUpLimit

  init(
    changes: CredentialChanges, callers: Callers, codes: ActionCodes, mails: AccountMails, signUp: SignUpLimit
  ) {
    self.changes = changes
    self.callers = callers
    self.codes = codes
    self.mails = mails
    self.signUp = signUp
  }

  /// Gives a user another address, unverified; their sessions and tokens end.
  ///
  /// - Parameter proven: the account as it was when its password was shown. When that counts no longer, nothing happens.
  /// - Throws: `invalidEmail`, `emailExists`, `tooManyAttempts`, `tokenExpired`, `userDisabled`.
  @discardableResult
  package func set(
    of proven: UserRecord, to email: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    try signUp.admit(client, now: now)
    return try await move(
      proven.uid, to: address, isVerified: false, event: .emailChanged, client: client, now: now
    ) { (_, user) throws(AccountError) in
      try user.requireCredentials(of: proven)
    }.user
  }

  /// Gives the account of who is signed in another address, together with a way in by it. As with every change of address
  /// the tokens so far end.
  ///
  /// - Parameters:
  ///   - session: what the caller goes on with.
  ///   - way: what was linked, for the audit trail.
  ///   - change: puts the way in.
  /// - Throws: `credentialTooOld` unless they signed in a short while ago; `emailExists` for somebody else's address.
  func replace(
    of caller: Caller, with address: String, isVerified: Bool, session: NewSession, way: String, client: ClientInfo,
    now: Instant, change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    try callers.requireRecentSignIn(caller, now: now)
    let (user, tokens) = try await move(
      caller.user.uid, to: address, isVerified: isVerified, caller: caller, session: session, event: .emailChanged,
      detail: "linked: \(way)", client: client, now: now, change: change)
    // A caller gets tokens.
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }

  /// Changes an account's address together with something else, and mails the old address a link that undoes it.
  func move(
    _ uid: String, to address: String, isVerified: Bool, caller: Caller? = nil, session: NewSession? = nil,
    event: AuditEvent.Kind, detail: String? = nil, client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let recovery = try codes.newRecovery(client)
    let changed = try await changes.change(
      of: uid, caller: caller, session: session, event: event, detail: detail, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try change(&transaction, &user)
      try transaction.moveAddress(of: &user, to: address, isVerified: isVerified, recovery: recovery, now: now)
    }
    if let ticket = codes.inspect(recovery.code.text), let old = ticket.email {
      mails.sendRecovery(
        to: old, wasVerified: ticket.wasVerified, user: changed.user, newEmail: address, link: recovery.link,
        client: client, now: now)
    }
    return changed
  }
}
