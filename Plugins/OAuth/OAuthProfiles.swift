import HearthCrypto
import HearthTree

/// The built-in providers, with the IDs, addresses and rules of each in one place.
struct OAuthProfiles {
  let http: ProviderHTTP

  /// Google. https://developers.google.com/identity/openid-connect/openid-connect
  func google(_ client: OAuthSettings.IDTokenClient) -> OAuthProvider {
    OAuthProvider(
      id: "google.com", displayName: "Google",
      idTokens: idTokens(
        issuers: ["https://accounts.google.com", "accounts.google.com"],
        keys: .keySet(url: "https://www.googleapis.com/oauth2/v3/certs"), client),
      accessTokens: GoogleAccessTokens(clientIDs: client.clientIDs, emails: client.emails, http: http),
      codes: codes(
        .fixed(
          authorization: "https://accounts.google.com/o/oauth2/v2/auth", token: "https://oauth2.googleapis.com/token"),
        issuers: ["https://accounts.google.com"], client))
  }

  /// Apple. https://developer.apple.com/documentation/signinwithapplerestapi
  func apple(_ apple: OAuthSettings.Apple) -> OAuthProvider {
    var check = idTokens(issuers: [apple.issuer], keys: .keySet(url: apple.issuer + "/auth/keys"), apple.client)
    check.takesNameFromClient = true
    var provider = OAuthProvider(id: "apple.com", displayName: "Apple", idTokens: check)
    if let page = apple.page {
      provider.codes = AuthorizationCodeFlow(
        endpoints: .fixed(authorization: apple.issuer + "/auth/authorize", token: apple.issuer + "/auth/token"),
        issuers: [apple.issuer],
        clientID: page.servicesID, clientSecret: .signed(page.assertion), scopes: ["name", "email"],
        nonce: apple.client.nonce, postsAnswers: true, http: http)
    }
    return provider
  }

  func github(_ client: OAuthSettings.SecretClient) -> OAuthProvider {
    OAuthProvider(
      id: "github.com", displayName: "GitHub", accessTokens: GitHubAccessTokens(client: client, http: http),
      codes: AuthorizationCodeFlow(
        endpoints: .fixed(
          authorization: "https://github.com/login/oauth/authorize",
          token: "https://github.com/login/oauth/access_token"),
        issuers: ["https://github.com/login/oauth"],
        clientID: client.id, clientSecret: .text(client.secret), scopes: ["user:email"], nonce: nil, http: http))
  }

  /// Facebook: access tokens, and the ID tokens of the limited login on iOS, whose nonce is hashed as Apple's is.
  func facebook(_ client: OAuthSettings.SecretClient) -> OAuthProvider {
    let own = OAuthSettings.IDTokenClient(clientIDs: [client.id], nonce: .hashed, emails: client.emails)
    return OAuthProvider(
      id: "facebook.com", displayName: "Facebook",
      idTokens: idTokens(
        issuers: ["https://www.facebook.com", "https://limited.facebook.com"],
        keys: .keySet(url: "https://limited.facebook.com/.well-known/oauth/openid/jwks/"), own),
      accessTokens: FacebookAccessTokens(client: client, http: http),
      codes: AuthorizationCodeFlow(
        endpoints: .fixed(
          authorization: "https://www.facebook.com/v21.0/dialog/oauth",
          token: "https://graph.facebook.com/v21.0/oauth/access_token"),
        issuers: ["https://www.facebook.com"],
        clientID: client.id, clientSecret: .text(client.secret), scopes: ["email", "public_profile"], nonce: nil,
        http: http))
  }

  func twitter(_ client: OAuthSettings.SecretClient) -> OAuthProvider {
    OAuthProvider(
      id: "twitter.com", displayName: "X",
      accessTokens: TwitterAccessTokens(client: client, http: http, random: .system))
  }

  func oidc(_ issuer: OAuthSettings.Issuer) -> OAuthProvider {
    let configuration = ProviderDocument<JSON>(configurationOf: issuer.issuer, http: http)
    var check = idTokens(
      issuers: [issuer.issuer], keys: issuer.keysURL.map { .keySet(url: $0) } ?? .issuer(configuration), issuer.client)
    check.attributes = issuer.attributes
    return OAuthProvider(
      id: issuer.id, displayName: issuer.displayName, idTokens: check,
      codes: codes(.issuer(issuer.issuer, configuration), issuers: [issuer.issuer], issuer.client))
  }

  /// Returns the code flow of a client, or nil when it has no secret.
  private func codes(
    _ endpoints: AuthorizationCodeFlow.Endpoints, issuers: [String], _ client: OAuthSettings.IDTokenClient
  ) -> AuthorizationCodeFlow? {
    guard let secret = client.secret, let id = client.clientIDs.first else { return nil }
    return AuthorizationCodeFlow(
      endpoints: endpoints, issuers: issuers, clientID: id, clientSecret: .text(secret),
      scopes: ["openid", "email", "profile"],
      nonce: client.nonce, http: http)
  }

  private func idTokens(
    issuers: [String], keys: ProviderKeySource, _ client: OAuthSettings.IDTokenClient
  ) -> IDTokenCheck {
    IDTokenCheck(
      verifier: ForeignTokenVerifier(issuers: issuers, audiences: client.clientIDs),
      keys: ProviderDocument(keys, http: http), nonce: client.nonce, emails: client.emails)
  }
}
