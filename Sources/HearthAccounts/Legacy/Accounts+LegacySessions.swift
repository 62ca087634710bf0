import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Sign-in of clients of the 2.x kind. Its token is a legacy one that names its session, so that it can be ended.
extension Accounts {
  func legacyPasswordSignIn(
    _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    let password = asked.field("password")
    switch try await legacyUser(asked.field("email"), password: password, client: client, now: now) {
    case .failure(let error): return .failure(error)
    case .success(let user):
      let profile = JSON.object([
        JSON.Member("email", .string(user.email ?? "")),
        JSON.Member("isTemporaryPassword", .bool(user.hasTemporaryPassword)),
        JSON.Member("profileImageURL", .string(user.photoURL ?? "")),
      ])
      return .success(try await legacySession(user, provider: "password", profile: profile, client: client, now: now))
    }
  }

  func legacyAnonymousSignIn(client: ClientInfo, now: Instant) async throws(AccountError) -> Result<JSON, LegacyError> {
    let user = try await createAnonymousUser(uid: "anonymous:" + legacyUID(), client: client, now: now)
    return .success(
      try await legacySession(user, provider: "anonymous", profile: .object([]), client: client, now: now))
  }

  /// - Parameter name: the provider without its `.com`.
  func legacyProviderSignIn(
    _ name: String, _ asked: LegacyRequest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Result<JSON, LegacyError> {
    guard ["facebook", "google", "github", "twitter"].contains(name) else {
      return .failure(LegacyError(.invalidProvider, "The provider is not known here."))
    }
    let parameters = asked.credential
    // Data rules of such apps know a person by the provider's id.
    let (user, identity, _) = try await federatedSignIn(
      providerID: name + ".com", parameters: parameters,
      newUID: { "\(name):\($0.rawID)" }, client: client, now: now)
    guard user.factors.isEmpty else { return .failure(.needsSecondFactor) }
    var profile = [JSON.Member("id", .string(identity.rawID))]
    for (name, text) in [
      ("displayName", identity.displayName), ("email", identity.email), ("username", identity.screenName),
      ("profileImageURL", identity.photoURL), ("accessToken", parameters["access_token"] ?? parameters["oauth_token"]),
      ("accessTokenSecret", parameters["oauth_token_secret"]),
    ] {
      if let text { profile.append(JSON.Member(name, .string(text))) }
    }
    profile.append(JSON.Member("cachedUserProfile", identity.profile ?? .object([])))
    return .success(
      try await legacySession(user, provider: name, profile: .object(profile), client: client, now: now))
  }

  /// Begins a session and answers what clients keep: the token, the uid, and the provider's profile.
  private func legacySession(
    _ user: UserRecord, provider: String, profile: JSON, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> JSON {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    let claims = try await decideSignIn(user, provider: provider, client: client)
    let id = try newSecretText()
    // Kept as a hash alone, like every other token.
    let hash = Digest(sha256: id.utf8)
    let seconds = configuration.legacySessionSeconds
    let (issuedAt, endsAt) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (Int64, Int64) in
      guard var current = transaction.user(user.uid) else { throw AccountError(.userNotFound) }
      guard !current.isDisabled else { throw AccountError(.userDisabled) }
      guard current.hasSameCredentials(as: user) else { throw AccountError(.tokenExpired) }
      let issuedAt = transaction.nowSeconds
      var session = SessionRecord(
        family: hash.hex, uid: user.uid, signInProvider: provider, authTimeSeconds: issuedAt,
        createdAtSeconds: issuedAt, clientAddress: client.address, userAgent: client.userAgent)
      session.userGeneration = current.border.generation
      session.isLegacy = true
      session.expiresAtSeconds = issuedAt + seconds
      transaction.putSession(hash, session)
      current.noteIssue(atSeconds: issuedAt)
      current.lastSignInAtMilliseconds = now.wallMilliseconds
      try transaction.update(current)
      transaction.audit(
        AuditEvent(.signIn, uid: user.uid, email: current.email, client: client, detail: "legacy \(provider)"))
      return (issuedAt, issuedAt + seconds)
    }
    let added = claims.filter { $0.name != "provider" && $0.name != "uid" }
    let data = [ClaimValue.Member("provider", .string(provider))] + added
    do {
      let token = try keys.mintLegacySession(
        uid: user.uid, data: data, sessionID: id, issuedAtSeconds: issuedAt, expiresAtSeconds: endsAt)
      return .object([
        JSON.Member("token", .string(token)), JSON.Member("uid", .string(user.uid)),
        JSON.Member("provider", .string(provider)), JSON.Member(provider, profile),
      ])
    } catch {
      environment.notice(AccountsNotice(.error, "a legacy session's token could not be made: \(error.code.rawValue)"))
      throw AccountError(.unavailable)
    }
  }
}
