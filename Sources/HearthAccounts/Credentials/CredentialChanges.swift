import HearthCrypto
import HearthEngine

/// Adds and removes ways to sign in to an account. The tokens that it had end.
package struct CredentialChanges: Sendable {
  private let store: AccountStore
  private let sessions: Sessions
  private let announce: RevocationHandler

  init(store: AccountStore, sessions: Sessions, announce: @escaping RevocationHandler) {
    self.store = store
    self.sessions = sessions
    self.announce = announce
  }

  /// Makes a change: in one step, the tokens so far end, the sessions go, and the caller gets a new one.
  ///
  /// The new session's `auth_time` is now: application servers compare it with the second of the revocation, which would
  /// end it, too. The caller has just shown that they are the user, by a recent sign-in.
  ///
  /// - Parameters:
  ///   - caller: who asked, signed in; nil for somebody else, who gets no tokens.
  ///   - session: what the caller goes on with; nil makes another one of the caller's sign-in.
  ///   - event: for the audit record, with the detail.
  ///   - change: what the user's record is to say. Whatever it throws refuses everything.
  /// - Throws: `userNotFound`, `userDisabled`, `tokenExpired`; what the change throws.
  func change(
    of uid: String, caller: Caller? = nil, session given: NewSession? = nil, event: AuditEvent.Kind,
    detail: String? = nil, client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let session: NewSession? =
      if let given {
        given
      } else if let caller { try await sessions.new(following: caller, client: client) } else { nil }
    let (user, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord?) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      try change(&transaction, &user)
      transaction.endTokens(of: &user)
      var record: SessionRecord?
      if let session { record = transaction.begin(session, of: &user, now: now) }
      try transaction.update(user)
      transaction.audit(AuditEvent(event, uid: uid, email: user.email, client: client, detail: detail))
      return (user, record)
    }
    announce(.user(uid: uid), event)
    guard let session, let record else { return (user, nil) }
    return (user, try sessions.tokens.tokens(of: user, beginning: session, as: record))
  }
}
