import HearthCrypto
import HearthPlugin
import HearthTree

/// A check of ID tokens: their issuer, audience, nonce and time.
struct IDTokenCheck: TokenCheck {
  let verifier: ForeignTokenVerifier
  let keys: ProviderDocument<ForeignKeySet>
  let nonce: NonceRule
  let emails: EmailAuthority
  var attributes: [String] = []
  /// True when the client may add the user's name, which the provider sends only once and only to the client (Apple).
  var takesNameFromClient = false

  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity {
    let claims = try await claims(of: token)
    guard let subject = claims["sub"]?.string, let profile = JSON(parsing: claims.json.utf8) else {
      throw ProviderHTTP.unavailable
    }
    var identity = ForeignIdentity(rawID: subject)
    identity.profile = profile
    identity.email = ProfileText.email(profile["email"])
    if let email = identity.email {
      identity.isEmailVerified =
        ProfileText.isTrue(profile["email_verified"])
        && emails.covers(email, hostedDomain: profile["hd"]?.string)
    }
    identity.displayName = ProfileText.line(profile["name"])
    identity.firstName = ProfileText.line(profile["given_name"])
    identity.lastName = ProfileText.line(profile["family_name"])
    identity.screenName = ProfileText.line(profile["preferred_username"])
    identity.photoURL = ProfileText.url(profile["picture"])
    let copied = attributes.compactMap { name in profile[name].map { JSON.Member(name, $0) } }
    if !copied.isEmpty { identity.attributes = .object(copied) }
    if takesNameFromClient { Self.addName(from: token.parameters["user"], to: &identity) }
    return identity
  }

  private func claims(of token: ProviderToken) async throws(SignInRefusal) -> ClaimValue {
    let expected = nonce.expectation(token.parameters["nonce"])
    let claims = try await keys.claims(of: token.text, by: verifier, nonce: expected, nowSeconds: token.nowSeconds)
    return try claims.mapError(Self.refusal).get()
  }

  /// Returns a refusal that tells the app's developer the wrong claim, and no details about keys.
  private static func refusal(_ error: ForeignTokenError) -> SignInRefusal {
    switch error.code {
    case .nonce: SignInRefusal(.invalidNonce, "The nonce does not match the one in the ID token.")
    case .audience: SignInRefusal(.invalidProviderResponse, "The ID token was issued for another app.")
    case .issuer: SignInRefusal(.invalidProviderResponse, "The ID token is from another issuer.")
    case .expired: SignInRefusal(.invalidProviderResponse, "The ID token has expired.")
    case .notYetValid: SignInRefusal(.invalidProviderResponse, "The ID token is not valid yet.")
    case .malformed, .unknownKey, .signature, .subject, .unavailable:
      SignInRefusal(.invalidProviderResponse, "The ID token is not valid.")
    }
  }

  /// Adds the name from `{"name": {"firstName": …, "lastName": …}}`, which is the user's own claim and only fit for
  /// display.
  private static func addName(from user: String?, to identity: inout ForeignIdentity) {
    guard let user, user.utf8.count <= 4_096, let name = JSON(parsing: user.utf8)?["name"] else { return }
    identity.firstName = identity.firstName ?? ProfileText.line(name["firstName"])
    identity.lastName = identity.lastName ?? ProfileText.line(name["lastName"])
    let parts = [identity.firstName, identity.lastName].compactMap { $0 }
    if identity.displayName == nil, !parts.isEmpty { identity.displayName = parts.joined(separator: " ") }
  }
}
