import HearthCrypto
import HearthEngine

extension Accounts {
  /// A session cookie for a server of the app's own: the claims of an ID token, signed with keys of its own, so that
  /// neither can be used as the other.
  ///
  /// - Throws: `invalidIDToken`, `tokenExpired`, `userNotFound`, `userDisabled`.
  package func sessionCookie(
    for idToken: String, lifetimeSeconds: Int64, by administrator: Administrator
  ) async throws(AccountError) -> String {
    let nowSeconds = administrator.now.wallMilliseconds / 1000
    let credential: VerifiedCredential
    do throws(CredentialError) {
      credential = try keys.verifyIDToken(idToken, nowSeconds: nowSeconds)
    } catch {
      throw Self.error(of: error)
    }
    try checkUser(of: credential)
    do {
      return try keys.mintSessionCookie(
        claims: credential.claims, issuedAtSeconds: nowSeconds, lifetimeSeconds: lifetimeSeconds)
    } catch {
      throw AccountError(.internalError, "the session cookie could not be made")
    }
  }

  private func checkUser(of credential: VerifiedCredential) throws(AccountError) {
    guard let uid = credential.uid, let user = store.view.user(uid) else { throw AccountError(.userNotFound) }
    if user.isDisabled { throw AccountError(.userDisabled) }
    guard standing(of: credential) == .good else { throw AccountError(.tokenExpired) }
  }

  private static func error(of error: CredentialError) -> AccountError {
    switch error.code {
    case .expiredToken: AccountError(.tokenExpired)
    case .invalidToken: AccountError(.invalidIDToken)
    case .unavailable: AccountError(.unavailable)
    }
  }
}
