import HearthAccounts
import HearthTree

/// Sign-in of 2.x clients.
struct LegacySessionEndpoints: EndpointArea {
  let accounts: Accounts

  func password(_ asked: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let users = LegacyUserEndpoints(accounts: accounts)
    switch try await users.proven(asked.field("email"), password: asked.field("password"), asked) {
    case .failure(let error): return .failure(error)
    case .success(let proven):
      let user = proven.user
      let profile = JSON.object([
        JSON.Member("email", .string(user.email ?? "")),
        JSON.Member("isTemporaryPassword", .bool(user.hasTemporaryPassword)),
        JSON.Member("profileImageURL", .string(user.photoURL ?? "")),
      ])
      return .success(
        try await session(proven, provider: ProviderID.password, profile: profile, asked))
    }
  }

  func anonymous(_ asked: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let user = try await accounts.signIn.anonymous.newUser(
      uid: "anonymous:" + accounts.context.secrets.uuid(), client: asked.client, now: asked.now)
    return .success(try await session(user, provider: ProviderID.anonymous, profile: .object([]), asked))
  }

  /// `auth/<provider without its .com>/token`: signs in with a provider's token.
  func provider(_ asked: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let name = asked.path.count > 1 ? asked.path[1] : ""
    guard ["facebook", "google", "github", "twitter"].contains(name) else {
      return .failure(LegacyError(.invalidProvider, "The provider is not known here."))
    }
    let parameters = asked.credential
    // Data rules of such apps identify a user by the provider's id.
    let (proven, identity) = try await accounts.signIn.federated.signIn(
      providerID: name + ".com", parameters: parameters,
      newUID: { "\(name):\($0.rawID)" }, client: asked.client, now: asked.now)
    guard accounts.sessions.legacy.takes(proven) else { return .failure(.needsSecondFactor) }
    var profile = [JSON.Member("id", .string(identity.rawID))]
    for (name, text) in [
      ("displayName", identity.displayName), ("email", identity.email), ("username", identity.screenName),
      ("profileImageURL", identity.photoURL), ("accessToken", parameters["access_token"] ?? parameters["oauth_token"]),
      ("accessTokenSecret", parameters["oauth_token_secret"]),
    ] {
      if let text { profile.append(JSON.Member(name, .string(text))) }
    }
    profile.append(JSON.Member("cachedUserProfile", identity.profile ?? .object([])))
    return .success(try await session(proven, provider: name, profile: .object(profile), asked))
  }

  /// Answers a client's poll after a redirect to a provider, which this server does not offer.
  func session(_ asked: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    .failure(
      LegacyError(.invalidArguments, "There is no such sign-in under way. \(LegacyEndpoints.tokenAdvice)"))
  }

  func unknown(_ asked: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    .failure(LegacyError(.invalidArguments, "There is no such operation."))
  }

  /// Begins a session and returns the values that clients store: the token, the uid, and the provider's profile.
  private func session(
    _ proven: ProvenUser, provider: String, profile: JSON, _ asked: LegacyRequest
  ) async throws(AccountError) -> JSON {
    let (user, token) = try await accounts.sessions.legacy.start(
      of: proven, provider: provider, client: asked.client, now: asked.now)
    return .object([
      JSON.Member("token", .string(token)), JSON.Member("uid", .string(user.uid)),
      JSON.Member("provider", .string(provider)), JSON.Member(provider, profile),
    ])
  }
}
