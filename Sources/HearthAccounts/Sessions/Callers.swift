import HearthCrypto
import HearthEngine

/// Finds out who shows an ID token.
package struct Callers: Sendable {
  private let store: AccountStore
  private let keys: KeyRing
  private let configuration: LiveConfiguration

  init(store: AccountStore, keys: KeyRing, configuration: LiveConfiguration) {
    self.store = store
    self.keys = keys
    self.configuration = configuration
  }

  /// Who shows the ID token: its signature and times are checked first, then the account.
  ///
  /// - Throws: `missingIDToken`, `invalidIDToken`, `tokenExpired`, `userNotFound`, `userDisabled`, in this order;
  ///   `unavailable`.
  package func caller(idToken: String?, now: Instant) throws(AccountError) -> Caller {
    guard let idToken, !idToken.isEmpty else { throw AccountError(.missingIDToken) }
    let credential: VerifiedCredential
    do {
      credential = try keys.verifyIDToken(idToken, nowSeconds: now.wallMilliseconds / 1000)
    } catch {
      throw AccountError(idToken: error)
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
  ///
  /// - Throws: `credentialTooOld`.
  package func requireRecentSignIn(_ caller: Caller, now: Instant) throws(AccountError) {
    guard now.wallMilliseconds / 1000 - caller.authTimeSeconds <= configuration.value.recentSignInSeconds else {
      throw AccountError(.credentialTooOld)
    }
  }
}

extension AccountError {
  /// Why an ID token is not taken.
  init(idToken error: CredentialError) {
    switch error.code {
    case .invalidToken: self.init(.invalidIDToken)
    case .expiredToken: self.init(.tokenExpired)
    case .unavailable: self.init(.unavailable)
    }
  }
}
