import HearthAccounts
import HearthTree

/// Sign-in of 2.x clients.
struct LegacySessionEndpoints: EndpointGroup {
  let accounts: Accounts

  func password(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let users = LegacyUserEndpoints(accounts: accounts)
    switch try await users.authenticate(request.field("email"), password: request.field("password"), request) {
    case .failure(let error): return .failure(error)
    case .success(let authenticated):
      let user = authenticated.user
      let profile = JSON.object([
        JSON.Member("email", .string(user.email ?? "")),
        JSON.Member("isTemporaryPassword", .bool(user.hasTemporaryPassword)),
        JSON.Member("profileImageURL", .string(user.photoURL ?? "")),
      ])
      return .success(
        try await session(authenticated, provider: ProviderID.password, profile: profile, request))
    }
  }

  func anonymous(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let user = try await accounts.signIn.anonymous.newUser(
      uid: "anonymous:" + accounts.context.secrets.uuid(), client: request.client, now: request.now)
    return .success(try await session(user, provider: ProviderID.anonymous, profile: .object([]), request))
  }

  /// `auth/<provider without its .com>/token`: signs in with a provider's token.
  func provider(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    let name = request.path.count > 1 ? request.path[1] : ""
    guard ["facebook", "google", "github", "twitter"].contains(name) else {
      return .failure(LegacyError(.invalidProvider, "Unknown provider."))
    }
    let parameters = request.credential
    // Data rules of such apps identify a user by the provider's id.
    let (authenticated, identity) = try await accounts.signIn.federated.signIn(
      providerID: name + ".com", parameters: parameters,
      newUID: { "\(name):\($0.rawID)" }, client: request.client, now: request.now)
    guard accounts.sessions.legacy.takes(authenticated) else { return .failure(.needsSecondFactor) }
    var profile = [JSON.Member("id", .string(identity.rawID))]
    for (name, text) in [
      ("displayName", identity.displayName), ("email", identity.email), ("username", identity.screenName),
      ("profileImageURL", identity.photoURL), ("accessToken", parameters["access_token"] ?? parameters["oauth_token"]),
      ("accessTokenSecret", parameters["oauth_token_secret"]),
    ] {
      if let text { profile.append(JSON.Member(name, .string(text))) }
    }
    profile.append(JSON.Member("cachedUserProfile", identity.profile ?? .object([])))
    return .success(try await session(authenticated, provider: name, profile: .object(profile), request))
  }

  /// Answers a client's poll after a redirect to a provider, which this server does not offer.
  func session(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    .failure(
      LegacyError(.invalidArguments, "This sign-in does not exist. \(LegacyEndpoints.tokenAdvice)"))
  }

  func unknown(_ request: LegacyRequest) async throws(AccountError) -> Result<JSON, LegacyError> {
    .failure(LegacyError(.invalidArguments, "Unknown operation."))
  }

  /// Begins a session and returns the values that clients store: the token, the uid, and the provider's profile.
  private func session(
    _ authenticated: AuthenticatedUser, provider: String, profile: JSON, _ request: LegacyRequest
  ) async throws(AccountError) -> JSON {
    let (user, token) = try await accounts.sessions.legacy.start(
      of: authenticated, provider: provider, client: request.client, now: request.now)
    return .object([
      JSON.Member("token", .string(token)), JSON.Member("uid", .string(user.uid)),
      JSON.Member("provider", .string(provider)), JSON.Member(provider, profile),
    ])
  }
}
