import HearthCrypto
import HearthEngine

extension Accounts {
  /// Adds an address and a password to an account that has no password, as an anonymous one, and keeps its uid. Another
  /// address than the account's replaces that, and the password with it.
  ///
  /// - Throws: `emailExists` for somebody else's address, and for one's own with a password; `credentialTooOld` unless
  ///   they signed in a short while ago, but for anonymous users.
  package func linkPassword(
    to caller: Caller, email: String?, password: String?, displayName: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (UserRecord, TokenTriple) {
    guard let email else { throw AccountError(.missingEmail) }
    guard let password, !password.isEmpty else { throw AccountError(.missingPassword) }
    guard providers.provider(for: .password) != nil else { throw AccountError(.operationNotAllowed) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    // Who has nothing but this session cannot sign in again; everybody else shows that it is still them.
    if !caller.user.isAnonymous { try requireRecentSignIn(caller, now: now) }
    try admitSignUp(client, now: now)
    if let owner = store.view.user(email: address), owner.uid != caller.user.uid { throw AccountError(.emailExists) }
    let stored = try await hashedPassword(password, email: address, operation: .link, client: client, now: now)
    let session = try newSession(
      uid: caller.user.uid, provider: "password", claims: sessionClaims(of: caller),
      secondFactor: caller.secondFactor, client: client)
    if let present = caller.user.email, !present.isSameText(as: address) {
      return try await replaceAddress(
        of: caller, with: address, isVerified: false, session: session, way: "password", client: client, now: now
      ) { (_, user) throws(AccountError) in
        user.password = stored
        user.hasTemporaryPassword = false
        if let displayName { user.displayName = displayName }
      }
    }
    let (user, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord) in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      guard user.password == nil else { throw AccountError(.emailExists) }
      if let owner = transaction.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
      // It got another one meanwhile.
      if let present = user.email, !present.isSameText(as: address) { throw AccountError(.operationNotAllowed) }
      user.email = address
      user.initialEmail = user.initialEmail ?? address
      user.password = stored
      if let displayName { user.displayName = displayName }
      let record = Self.begin(session, of: &user, in: &transaction, now: now)
      try transaction.update(user)
      transaction.audit(AuditEvent(.providerLinked, uid: user.uid, email: address, client: client, detail: "password"))
      return (user, record)
    }
    return (user, try tokens(of: user, session: record, refreshToken: session.token.text))
  }
}
