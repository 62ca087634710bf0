import HearthCrypto
import HearthEngine
import HearthTree

/// Sign-ins that live on in a refresh token: they begin, go on with another way in, and are refreshed.
package struct Sessions: Sendable {
  let context: AccountsContext
  let admission: SignInAdmission
  var tokens: SessionTokens { SessionTokens(context: context) }

  /// Lets a user in who has shown everything that is asked of them: keeps a session, and makes its tokens.
  ///
  /// - Parameters:
  ///   - proven: when the credential of the account changed since it was checked, nobody comes in.
  ///   - secondFactor: the enrolment id of the second factor that was shown.
  ///   - change: something that has to happen in the same step, such as using up a ticket.
  /// - Throws: `blockingFunctionError` when a hook denies; `userNotFound`, `userDisabled`, `tokenExpired` for what happened
  ///   to the account meanwhile; what ``AccountTransaction/insert(_:)`` throws of a new one.
  package func start(
    of proven: ProvenUser, secondFactor: String? = nil, client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void = {
      (_, _) throws(AccountError) in
    }
  ) async throws(AccountError) -> SignedIn {
    let kind = proven.user.factors.first { $0.id == secondFactor }?.kind
    let admitted = try await admission.admit(proven, secondFactor: kind, client: client)
    let session = try await new(
      of: admitted.expected, provider: proven.way.provider, claims: admitted.claims, secondFactor: secondFactor,
      attributes: proven.way.attributes, isUserVerified: proven.way.isUserVerified, client: client)
    let entry = try await admission.enter(admitted, client: client) { (transaction, user) throws(AccountError) in
      try change(&transaction, &user)
      let record = transaction.begin(session, of: &user, now: now)
      transaction.audit(
        AuditEvent(.signIn, uid: user.uid, email: user.email, client: client, detail: proven.way.provider))
      return record
    }
    guard let (user, record) = entry else {
      return try await start(of: try await proven.present(), client: client, now: now, change: change)
    }
    return SignedIn(
      user: user, tokens: try tokens.tokens(of: user, beginning: session, as: record),
      isNew: proven.isNew)
  }

  /// Draws what a session needs, and asks for the claims of its first token; it is not kept yet, and its times are not
  /// known.
  ///
  /// - Parameters:
  ///   - user: as the account is expected to be when the session begins.
  ///   - isUserVerified: a passkey has verified the person.
  /// - Throws: what ``TokenClaims/added(to:in:_:client:)`` throws; `unavailable` without randomness.
  func new(
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

  /// Draws what a session needs that goes on from the caller's.
  ///
  /// - Parameters:
  ///   - provider: nil for that of the caller's sign-in.
  ///   - added: claims for its tokens, beside those of the session so far.
  ///   - isUserVerified: a passkey has verified the person just now.
  func new(
    following caller: Caller, provider: String? = nil, adding added: [ClaimValue.Member] = [],
    isUserVerified: Bool = false, client: ClientInfo
  ) async throws(AccountError) -> NewSession {
    try await new(
      of: caller.user, provider: provider ?? caller.provider,
      claims: SessionClaims.merged(claims(of: caller), added),
      secondFactor: caller.secondFactor, attributes: caller.signInAttributes,
      isUserVerified: isUserVerified || self.isUserVerified(caller), client: client)
  }

  /// Returns true when the caller's session began with a passkey that verified them; of two sign-ins of one second both
  /// have to.
  func isUserVerified(_ caller: Caller) -> Bool {
    let own = context.store.view.sessions(of: caller.user.uid).map(\.session).filter { caller.owns($0) }
    return !own.isEmpty && own.allSatisfy(\.isUserVerified)
  }

  /// Refuses who has not shown the account's second factor: with the password alone nobody takes it away, or puts another way
  /// in beside it. Nobody is asked after a custom token, for which the app's own server has vouched.
  ///
  /// - Throws: `credentialTooOld`, after which clients ask people to sign in again.
  func requireSecondFactor(shownBy caller: Caller, of user: UserRecord) throws(AccountError) {
    guard
      user.factors.isEmpty || caller.provider == ProviderID.custom || isUserVerified(caller)
        || user.factors.contains(where: { $0.id == caller.secondFactor })
    else { throw AccountError(.credentialTooOld) }
  }

  /// The claims of the caller's session: as the store has them, and the token shows them too. The token alone does not
  /// do: claims that were taken from the account meanwhile are in it as well, and would live on in a new session.
  func claims(of caller: Caller) -> [ClaimValue.Member] {
    let candidates = context.store.view.sessions(of: caller.user.uid).compactMap { _, session -> [ClaimValue.Member]? in
      guard caller.owns(session), let text = session.claims else { return nil }
      return (try? ClaimValue(json: text))?.members
    }
    // Two sign-ins of one second are told apart by their claims.
    let shown = candidates.filter { claims in claims.allSatisfy { caller.token[$0.name] == $0.value } }
    return shown.max { $0.count < $1.count } ?? []
  }
}
