import HearthCrypto
import HearthEngine

/// A client that has shown an ID token of ours, and the account behind it.
struct Caller: Sendable {
  /// As it was when the token was looked at.
  var user: UserRecord
  /// As tokens show it.
  var provider: String
  var authTimeSeconds: Int64
  var issuedAtSeconds: Int64
  /// Claims of the session, without those of the account.
  var sessionClaims: [ClaimValue.Member]
  /// The enrolment id of the second factor that was shown.
  var secondFactor: String?

  /// Whether the token counts for the account as it is now.
  func check(against user: UserRecord) throws(AccountError) {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard issuedAtSeconds >= user.validSinceSeconds else { throw AccountError(.tokenExpired) }
  }

  /// Whether a session began with the sign-in that the token is of.
  func owns(_ session: SessionRecord) -> Bool {
    !session.isLegacy && session.authTimeSeconds == authTimeSeconds && session.signInProvider == provider
  }
}

extension Accounts {
  /// Who shows the ID token: its signature and times, then the account, in the documented order.
  func caller(idToken: String?, now: Instant) throws(AccountError) -> Caller {
    guard let idToken, !idToken.isEmpty else { throw AccountError(.missingIDToken) }
    let credential: VerifiedCredential
    do {
      credential = try keys.verifyIDToken(idToken, nowSeconds: now.wallMilliseconds / 1000)
    } catch {
      switch error.code {
      case .invalidToken: throw AccountError(.invalidIDToken)
      case .expiredToken: throw AccountError(.tokenExpired)
      case .unavailable: throw AccountError(.unavailable)
      }
    }
    let claims = credential.claims
    guard let uid = claims["sub"]?.string, let provider = claims["firebase"]?["sign_in_provider"]?.string,
      let authTime = claims["auth_time"]?.seconds, let issuedAt = claims["iat"]?.seconds
    else { throw AccountError(.invalidIDToken) }
    guard let user = store.view.user(uid) else { throw AccountError(.userNotFound) }
    let caller = Caller(
      user: user, provider: provider, authTimeSeconds: authTime, issuedAtSeconds: issuedAt,
      sessionClaims: Self.sessionClaims(in: claims, of: user),
      secondFactor: claims["firebase"]?["second_factor_identifier"]?.string)
    try caller.check(against: user)
    return caller
  }

  func caller(_ call: IdentityCall) throws(AccountError) -> Caller {
    try caller(idToken: try call.text("idToken", sizeBytesMax: IdentityCall.longTextBytesMax), now: call.now)
  }

  /// Sensitive changes are for who signed in a short while ago: a stolen token must not become a stolen account.
  func requireRecentSignIn(_ caller: Caller, now: Instant) throws(AccountError) {
    guard now.wallMilliseconds / 1000 - caller.authTimeSeconds <= configuration.recentSignInSeconds else {
      throw AccountError(.credentialTooOld)
    }
  }

  /// The developer's claims in a token that the account does not have: those of its session.
  private static func sessionClaims(in claims: ClaimValue, of user: UserRecord) -> [ClaimValue.Member] {
    let stored = user.customAttributes.flatMap { (try? ClaimValue(json: $0))?.members } ?? []
    return (claims.members ?? []).filter { claim in
      !IDTokenClaims.reservedNames.contains(claim.name) && claim.name != "name" && claim.name != "picture"
        && !stored.contains { $0.name == claim.name }
    }
  }
}
