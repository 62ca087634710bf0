import HearthCrypto
import HearthEngine

/// Authenticates callers by their ID tokens.
package struct IDTokenAuthenticator: Sendable {
  let context: AccountsContext

  /// Returns the caller with that ID token: its signature and times are checked first, then the account.
  ///
  /// - Throws: `missingIDToken`, `invalidIDToken`, `tokenExpired`, `userNotFound`, `userDisabled`, in this order;
  ///   `unavailable`.
  package func caller(idToken: String?, now: Instant) throws(AccountError) -> Caller {
    guard let idToken, !idToken.isEmpty else { throw AccountError(.missingIDToken) }
    let credential: VerifiedCredential
    do {
      credential = try context.keys.verifyIDToken(idToken, nowSeconds: now.wallMilliseconds / 1000)
    } catch {
      throw AccountError(idToken: error)
    }
    let claims = credential.claims
    guard let uid = claims["sub"]?.string, let provider = claims["firebase"]?["sign_in_provider"]?.string,
      let authTime = claims["auth_time"]?.seconds, let issuedAt = claims["iat"]?.seconds
    else { throw AccountError(.invalidIDToken) }
    guard let user = context.store.view.user(uid) else { throw AccountError(.userNotFound) }
    let caller = Caller(
      user: user, provider: provider, authTimeSeconds: authTime, issuedAtSeconds: issuedAt,
      generation: credential.generation, secondFactor: claims["firebase"]?["second_factor_identifier"]?.string,
      token: claims)
    try caller.check(against: user)
    return caller
  }

  /// Refuses a sensitive change without a recent sign-in: a stolen token must not become a stolen account.
  ///
  /// - Throws: `credentialTooOld`.
  package func requireRecentSignIn(_ caller: Caller, now: Instant) throws(AccountError) {
    guard isRecent(caller, now: now) else { throw AccountError(.credentialTooOld) }
  }

  /// Returns true when the caller's sign-in is recent, by a credential that counts as the owner's: see
  /// ``ProbationaryCredential``.
  func isRecent(_ caller: Caller, now: Instant) -> Bool {
    let nowSeconds = now.wallMilliseconds / 1000
    return nowSeconds - caller.authTimeSeconds <= context.configuration.recentSignInSeconds
      && !caller.user.isProbationary(caller.provider, nowSeconds: nowSeconds)
  }

  /// Returns true when a session may act for an account that opens the console.
  ///
  /// A service account signs custom tokens, sets the codes of test numbers and configures identity providers, and can
  /// sign in to any account in one of these ways.
  package func isConsoleSignIn(_ caller: Caller) -> Bool {
    let prefixes = [ProviderConfiguration.oidcPrefix, ProviderConfiguration.samlPrefix]
    return switch caller.provider {
    case ProviderID.custom, ProviderID.phone: false
    case let id where prefixes.contains(where: id.hasPrefix): context.plugins.credentialProvider(id) != nil
    default: true
    }
  }

  /// Refuses a session that may not change an account that opens the console: see ``isConsoleSignIn(_:)``. Its sign-in
  /// must be recent, too, or a stolen token would add a way to sign in again.
  ///
  /// - Throws: `credentialTooOld`.
  func requireConsoleOwner(_ caller: Caller, of user: UserRecord, now: Instant) throws(AccountError) {
    guard context.configuration.opensConsole(user) else { return }
    guard isConsoleSignIn(caller) else { throw AccountError(.credentialTooOld) }
    try requireRecentSignIn(caller, now: now)
  }
}

extension AccountError {
  /// Creates the error for an invalid ID token.
  init(idToken error: CredentialError) {
    switch error.code {
    case .invalidToken: self.init(.invalidIDToken)
    case .expiredToken: self.init(.tokenExpired)
    case .unavailable: self.init(.unavailable)
    }
  }
}
