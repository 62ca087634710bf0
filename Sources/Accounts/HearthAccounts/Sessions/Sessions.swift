import HearthCrypto
import HearthEngine
import HearthTree

/// Sessions with refresh tokens: their beginning, their continuation with another credential, and their refresh.
package struct Sessions: Sendable {
  let context: AccountsContext
  let admission: SignInAdmission
  var tokens: SessionTokens { SessionTokens(context: context) }

  /// Begins the session of a user who has shown all required factors, and issues its tokens.
  ///
  /// - Parameters:
  ///   - authenticated: the user; the sign-in fails when the account's credential has changed since it was checked.
  ///   - secondFactor: the enrolment id of the second factor that was shown.
  ///   - change: runs in the same transaction, for example to consume a ticket.
  /// - Throws: `blockingFunctionError` when a hook denies; `userNotFound`, `userDisabled` or `tokenExpired` when the
  ///   account has changed meanwhile; the errors of ``AccountTransaction/insert(_:)`` for a new one.
  package func start(
    of authenticated: AuthenticatedUser, secondFactor: String? = nil, client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void = {
      (_, _) throws(AccountError) in
    }
  ) async throws(AccountError) -> SignInResult {
    let kind = authenticated.user.factors.first { $0.id == secondFactor }?.kind
    let admitted = try await admission.admit(authenticated, secondFactor: kind, client: client)
    let session = try await prepare(
      of: admitted.expected, provider: authenticated.signIn.provider, claims: admitted.claims,
      secondFactor: secondFactor,
      attributes: authenticated.signIn.attributes, isUserVerified: authenticated.signIn.isUserVerified, client: client)
    let entry = try await admission.complete(admitted, client: client) { (transaction, user) throws(AccountError) in
      try change(&transaction, &user)
      let record = transaction.begin(session, of: &user, now: now)
      transaction.audit(
        AuditEvent(.signIn, uid: user.uid, email: user.email, client: client, detail: authenticated.signIn.provider))
      return record
    }
    guard let (user, record) = entry else {
      return try await start(of: try await authenticated.present(), client: client, now: now, change: change)
    }
    return SignInResult(
      user: user, tokens: try tokens.tokens(of: user, beginning: session, as: record),
      isNew: authenticated.isNew)
  }

  /// Prepares a session, with the claims for its first token; it is not stored yet, and its times are not set.
  ///
  /// - Parameters:
  ///   - user: the account as it is expected to be when the session begins.
  ///   - isUserVerified: true when a passkey has verified the user.
  /// - Throws: the errors of ``TokenClaims/added(to:in:_:client:)``; `unavailable` without randomness.
  func prepare(
    of user: UserRecord, provider: String, claims: [ClaimValue.Member], secondFactor: String?,
    attributes: String? = nil, isUserVerified: Bool = false, client: ClientInfo
  ) async throws(AccountError) -> NewSession {
    let uid = user.uid
    let family = try context.secrets.uid()
    let token = try context.secrets.draw { (random) throws(RandomnessError) in
      try RefreshToken(uid: uid, family: family, generation: 0, keys: context.keys, random: random)
    }
    var record = SessionRecord(
      family: family, uid: uid, signInProvider: provider, authTimeSeconds: 0, createdAtSeconds: 0,
      clientAddress: client.address, userAgent: client.userAgent)
    if !claims.isEmpty { record.claims = ClaimValue.object(claims).json }
    record.signInAttributes = attributes
    record.secondFactor = secondFactor
    record.isUserVerified = isUserVerified
    let added = try await tokens.claims.added(to: user, in: record, .signIn, client: client)
    return NewSession(token: token, record: record, added: added)
  }

  /// Prepares a session that continues the caller's.
  ///
  /// - Parameters:
  ///   - provider: the provider of the session; nil for the provider of the caller's sign-in.
  ///   - added: further claims for its tokens, in addition to those of the session so far.
  ///   - isUserVerified: true when a passkey has verified the user just now.
  func prepare(
    following caller: Caller, provider: String? = nil, adding added: [ClaimValue.Member] = [],
    isUserVerified: Bool = false, client: ClientInfo
  ) async throws(AccountError) -> NewSession {
    try await prepare(
      of: caller.user, provider: provider ?? caller.provider,
      claims: SessionClaims.merged(claims(of: caller), added),
      secondFactor: caller.secondFactor, attributes: caller.signInAttributes,
      isUserVerified: isUserVerified || self.isUserVerified(caller), client: client)
  }

  /// Returns true when the caller's session began with a passkey that verified them; when two of the user's sessions began in the
  /// same second, both must have.
  func isUserVerified(_ caller: Caller) -> Bool {
    let own = context.store.view.sessions(of: caller.user.uid).map(\.session).filter { caller.owns($0) }
    return !own.isEmpty && own.allSatisfy(\.isUserVerified)
  }

  /// Refuses a caller who has not shown the account's second factor: the password alone must not suffice to remove it,
  /// or to add another credential. Custom tokens are exempt, as the app's own server vouches for them.
  ///
  /// - Throws: `credentialTooOld`, after which clients ask the user to sign in again.
  func requireSecondFactor(shownBy caller: Caller, of user: UserRecord) throws(AccountError) {
    guard
      user.factors.isEmpty || caller.provider == ProviderID.custom || isUserVerified(caller)
        || user.factors.contains(where: { $0.id == caller.secondFactor })
    else { throw AccountError(.credentialTooOld) }
  }

  /// The claims of the caller's session that both the store and the token have. The token alone is not enough: it also
  /// has claims that were removed from the account since, which would survive in a new session.
  func claims(of caller: Caller) -> [ClaimValue.Member] {
    let candidates = context.store.view.sessions(of: caller.user.uid).compactMap { _, session -> [ClaimValue.Member]? in
      guard caller.owns(session), let text = session.claims else { return nil }
      return (try? ClaimValue(json: text))?.members
    }
    // Two sign-ins in one second are distinguished by their claims.
    let shown = candidates.filter { claims in claims.allSatisfy { caller.token[$0.name] == $0.value } }
    return shown.max { $0.count < $1.count } ?? []
  }
}
