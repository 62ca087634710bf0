import HearthCrypto
import HearthTree

extension Accounts {
  /// A session cookie lives five minutes to two weeks.
  private static let cookieSecondsRange: ClosedRange<Int64> = 300...1_209_600

  /// A session cookie for a server of the app's own: the claims of an ID token, signed with keys of its own, so that
  /// neither can be used as the other.
  func createSessionCookie(_ call: IdentityCall) async throws(AccountError) -> JSON {
    try call.requireAdministrator()
    guard let idToken = try call.text("idToken", sizeBytesMax: IdentityCall.longTextBytesMax), !idToken.isEmpty else {
      throw AccountError(.missingIDToken)
    }
    let lifetime = try call.int("validDuration") ?? Self.cookieSecondsRange.upperBound
    guard Self.cookieSecondsRange.contains(lifetime) else { throw AccountError(.invalidDuration) }
    let credential: VerifiedCredential
    do throws(CredentialError) {
      credential = try keys.verifyIDToken(idToken, nowSeconds: call.nowSeconds)
    } catch {
      throw Self.error(of: error)
    }
    try checkUser(of: credential)
    do {
      let cookie = try keys.mintSessionCookie(
        claims: credential.claims, issuedAtSeconds: call.nowSeconds, lifetimeSeconds: lifetime)
      return .object([JSON.Member("sessionCookie", .string(cookie))])
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
