import HearthCrypto
import HearthEngine
import HearthTree

/// A session that is about to be kept: its refresh token and its record.
struct NewSession: Sendable {
  var token: RefreshToken
  var record: SessionRecord
}

extension Accounts {
  /// Lets a user in who has shown everything that is asked of them: keeps a session, and makes its tokens.
  ///
  /// - Parameters:
  ///   - user: the account as it was when the credential was checked. When the credential changed since, nobody comes in.
  ///   - provider: as tokens show it: `password`, `google.com`, `custom`.
  ///   - claims: for the tokens of this session, checked.
  ///   - secondFactor: the enrolment id of the second factor that was shown.
  package func startSession(
    user: UserRecord, provider: String, claims: [ClaimValue.Member] = [], secondFactor: String? = nil,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> TokenTriple {
    try await startSession(
      user: user, provider: provider, claims: claims, secondFactor: secondFactor, client: client, now: now
    ) { (_, _) throws(AccountError) in }
  }

  /// - Parameter change: something that has to happen in the same step, such as using up a ticket.
  func startSession(
    user: UserRecord, provider: String, claims: [ClaimValue.Member], secondFactor: String?, client: ClientInfo,
    now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> TokenTriple {
    let added = try await decideSignIn(user, provider: provider, client: client)
    let session = try newSession(
      uid: user.uid, provider: provider, claims: Self.merged(claims, added), secondFactor: secondFactor,
      client: client)
    let (current, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord) in
      guard var current = transaction.user(user.uid) else { throw AccountError(.userNotFound) }
      try current.requireCredentials(of: user)
      try change(&transaction, &current)
      let record = Self.begin(session, of: &current, in: &transaction, now: now)
      try transaction.update(current)
      transaction.audit(
        AuditEvent(.signIn, uid: current.uid, email: current.email, client: client, detail: provider))
      return (current, record)
    }
    return try tokens(of: current, session: record, refreshToken: session.token.text)
  }

  /// Tokens for who has just added a way in: of the new provider, and as old as the sign-in that they go on with. What
  /// was added is no proof that the first sign-in was theirs.
  func continueSession(
    _ caller: Caller, as provider: String, user: UserRecord, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> TokenTriple {
    let session = try newSession(
      uid: user.uid, provider: provider, claims: sessionClaims(of: caller), secondFactor: caller.secondFactor,
      client: client)
    let (current, record) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, SessionRecord) in
      guard var current = transaction.user(user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: current)
      let record = Self.begin(
        session, of: &current, in: &transaction, now: now, authTimeSeconds: caller.authTimeSeconds)
      try transaction.update(current)
      return (current, record)
    }
    return try tokens(of: current, session: record, refreshToken: session.token.text)
  }

  /// Draws what a session needs; it is not kept yet, and its times are not known.
  func newSession(
    uid: String, provider: String, claims: [ClaimValue.Member], secondFactor: String?, client: ClientInfo
  ) throws(AccountError) -> NewSession {
    let family = try newUID()
    let token = try drawn { (random) throws(RandomnessError) in
      try RefreshToken(uid: uid, family: family, generation: 0, keys: keys, random: random)
    }
    var record = SessionRecord(
      family: family, uid: uid, signInProvider: provider, authTimeSeconds: 0, createdAtSeconds: 0,
      clientAddress: client.address, userAgent: client.userAgent)
    if !claims.isEmpty { record.claims = ClaimValue.object(claims).json }
    record.secondFactor = secondFactor
    return NewSession(token: token, record: record)
  }

  /// Keeps a session. The user's record is the caller's to store.
  ///
  /// The session begins at the moment of the change, not at that of the request: a revocation that came before it shows a
  /// second that is not later.
  ///
  /// - Parameters:
  ///   - now: of the request.
  ///   - authTimeSeconds: of the sign-in that goes on; nil for one that is just now.
  static func begin(
    _ session: NewSession, of user: inout UserRecord, in transaction: inout AccountTransaction, now: Instant,
    authTimeSeconds: Int64? = nil
  ) -> SessionRecord {
    let nowSeconds = transaction.nowSeconds
    var record = session.record
    record.authTimeSeconds = authTimeSeconds ?? nowSeconds
    record.createdAtSeconds = nowSeconds
    record.lastUsedAtSeconds = nowSeconds
    record.userGeneration = user.border.generation
    user.noteIssue(atSeconds: nowSeconds)
    user.lastSignInAtMilliseconds = now.wallMilliseconds
    user.lastRefreshAtMilliseconds = now.wallMilliseconds
    transaction.putSession(session.token.hash, record)
    return record
  }

  /// The tokens of a session that begins or was refreshed.
  func tokens(
    of user: UserRecord, session: SessionRecord, refreshToken: String, nowSeconds: Int64? = nil
  ) throws(AccountError) -> TokenTriple {
    do {
      let idToken = try keys.mintIDToken(
        subject(for: user, session: session), issuedAtSeconds: nowSeconds ?? session.createdAtSeconds,
        lifetimeSeconds: configuration.idTokenLifetimeSeconds)
      return TokenTriple(
        idToken: idToken, refreshToken: refreshToken, expiresInSeconds: configuration.idTokenLifetimeSeconds)
    } catch {
      environment.notice(AccountsNotice(.error, "an ID token could not be made: \(error.code.rawValue)"))
      throw AccountError(error.code == .claimsTooLarge ? .claimsTooLarge : .unavailable)
    }
  }

  /// What tokens of a session say about its user.
  func subject(for user: UserRecord, session: SessionRecord) -> IDTokenSubject {
    var subject = IDTokenSubject(
      uid: user.uid, signInProvider: session.signInProvider, authTimeSeconds: session.authTimeSeconds)
    subject.name = user.displayName
    subject.picture = user.photoURL
    subject.email = user.email
    subject.emailVerified = user.isEmailVerified
    subject.phoneNumber = user.phoneNumber
    subject.identities = Self.identityClaims(user)
    subject.customClaims = Self.usableClaims(user.customAttributes)
    subject.sessionClaims = Self.usableClaims(session.claims)
    subject.generation = user.border.generation
    if let id = session.secondFactor, let factor = user.factors.first(where: { $0.id == id }) {
      subject.secondFactor = (factor.kind.provider, id)
    }
    return subject
  }

  private static func identityClaims(_ user: UserRecord) -> [ClaimValue.Member] {
    var texts: [(name: String, values: [ClaimValue])] = []
    if let email = user.email { texts.append(("email", [.string(email)])) }
    if let phone = user.phoneNumber { texts.append(("phone", [.string(phone)])) }
    for identity in user.identities {
      if let index = texts.firstIndex(where: { $0.name == identity.providerID }) {
        texts[index].values.append(.string(identity.rawID))
      } else {
        texts.append((identity.providerID, [.string(identity.rawID)]))
      }
    }
    return texts.map { ClaimValue.Member($0.name, .array($0.values)) }
  }

  /// Claims from the store. They were checked when they were written; a damaged or older record must neither keep its
  /// user out nor say what only the server may.
  private static func usableClaims(_ text: String?) -> [ClaimValue.Member] {
    guard let text, let members = (try? ClaimValue(json: text))?.members else { return [] }
    let allowed = members.filter { !IDTokenClaims.reservedNames.contains($0.name) }
    return (try? IDTokenClaims.check(custom: allowed)) == nil ? [] : allowed
  }

  /// Later ones replace earlier ones of the same name.
  static func merged(_ first: [ClaimValue.Member], _ second: [ClaimValue.Member]) -> [ClaimValue.Member] {
    first.filter { claim in !second.contains { $0.name.utf8.elementsEqual(claim.name.utf8) } } + second
  }
}

extension UserRecord {
  /// Whether nothing happened to the account that ends what was proven about it before.
  func hasSameCredentials(as checked: UserRecord) -> Bool {
    border.generation == checked.border.generation
      && password?.updatedAtMilliseconds == checked.password?.updatedAtMilliseconds
      && factors.map(\.id) == checked.factors.map(\.id)
  }

  /// A credential was checked, and work was put into what it allows; meanwhile the account may have got another one, so
  /// that whoever knows the old one is kept out.
  ///
  /// - Parameter proven: the account as it was when the credential was checked.
  func requireCredentials(of proven: UserRecord) throws(AccountError) {
    guard !isDisabled else { throw AccountError(.userDisabled) }
    guard hasSameCredentials(as: proven) else { throw AccountError(.tokenExpired) }
  }
}

extension SecondFactor.Kind {
  /// As tokens show it.
  var provider: String {
    switch self {
    case .totp: "totp"
    case .phone: "phone"
    }
  }
}
