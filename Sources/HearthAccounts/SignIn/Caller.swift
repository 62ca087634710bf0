import HearthCrypto
import HearthEngine

/// A client that has shown an ID token of ours, and the account behind it.
package struct Caller: Sendable {
  /// As it was when the token was looked at.
  package var user: UserRecord
  /// As tokens show it.
  var provider: String
  var authTimeSeconds: Int64
  var issuedAtSeconds: Int64
  /// ``TokenBorder/generation`` of the user when the token was made; nil when it does not say.
  var generation: Int64?
  /// The enrolment id of the second factor that was shown.
  var secondFactor: String?
  /// All that the token says. For the claims of its session see ``Accounts/sessionClaims(of:)``.
  var token: ClaimValue

  /// Whether the token counts for the account as it is now.
  func check(against user: UserRecord) throws(AccountError) {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    guard user.border.admits(generation: generation, issuedAtSeconds: issuedAtSeconds) else {
      throw AccountError(.tokenExpired)
    }
  }

  /// Whether a session began with the sign-in that the token is of.
  func owns(_ session: SessionRecord) -> Bool {
    !session.isLegacy && session.authTimeSeconds == authTimeSeconds && session.signInProvider == provider
  }

  /// Whether this is the caller's account, and lets them in still.
  func stands(for user: UserRecord) -> Bool {
    user.uid.isSameText(as: self.user.uid) && (try? check(against: user)) != nil
  }
}

extension Accounts {
  /// Who shows the ID token: its signature and times, then the account, in the documented order.
  package func caller(idToken: String?, now: Instant) throws(AccountError) -> Caller {
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
      generation: credential.generation, secondFactor: claims["firebase"]?["second_factor_identifier"]?.string,
      token: claims)
    try caller.check(against: user)
    return caller
  }

  /// Sensitive changes are for who signed in a short while ago: a stolen token must not become a stolen account.
  package func requireRecentSignIn(_ caller: Caller, now: Instant) throws(AccountError) {
    guard now.wallMilliseconds / 1000 - caller.authTimeSeconds <= configuration.recentSignInSeconds else {
      throw AccountError(.credentialTooOld)
    }
  }

  /// The claims of the caller's session: as the store has them, and the token shows them too. The token alone does not
  /// do: claims that were taken from the account meanwhile are in it as well, and would live on in a new session.
  func sessionClaims(of caller: Caller) -> [ClaimValue.Member] {
    let candidates = store.view.sessions(of: caller.user.uid).compactMap { _, session -> [ClaimValue.Member]? in
      guard caller.owns(session), let text = session.claims else { return nil }
      return (try? ClaimValue(json: text))?.members
    }
    // Two sign-ins of one second are told apart by their claims.
    let shown = candidates.filter { claims in claims.allSatisfy { caller.token[$0.name] == $0.value } }
    return shown.max { $0.count < $1.count } ?? []
  }
}
