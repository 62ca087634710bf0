import HearthCrypto
import HearthEngine

/// Session cookies for the app's own servers: the claims of an ID token, signed with separate keys, so that neither can be used as
/// the other.
package struct SessionCookies: Sendable {
  let context: AccountsContext
  private var revocations: Revocations { Revocations(context: context) }
  /// The lifetime of a session cookie: five minutes to two weeks.
  private static let secondsRange: ClosedRange<Int64> = 300...1_209_600

  /// Creates a session cookie for the user of an ID token.
  ///
  /// - Parameter lifetimeSeconds: nil for the longest.
  /// - Throws: `invalidDuration`, `invalidIDToken`, `tokenExpired`, `userNotFound`, `userDisabled`.
  package func create(
    idToken: String, lifetimeSeconds: Int64?, by administrator: Administrator
  ) throws(AccountError) -> String {
    let nowSeconds = administrator.now.wallMilliseconds / 1000
    let lifetimeSeconds = lifetimeSeconds ?? Self.secondsRange.upperBound
    guard Self.secondsRange.contains(lifetimeSeconds) else { throw AccountError(.invalidDuration) }
    let credential: VerifiedCredential
    do throws(CredentialError) {
      credential = try context.keys.verifyIDToken(idToken, nowSeconds: nowSeconds)
    } catch {
      throw AccountError(idToken: error)
    }
    guard !credential.isForEnrolment else {
      throw AccountError(.invalidIDToken, "The token is only valid for enrolling a second factor.")
    }
    guard let uid = credential.uid, let user = context.store.view.user(uid) else { throw AccountError(.userNotFound) }
    if user.isDisabled { throw AccountError(.userDisabled) }
    guard revocations.standing(of: credential) == .good else { throw AccountError(.tokenExpired) }
    do {
      return try context.keys.mintSessionCookie(
        claims: credential.claims, issuedAtSeconds: nowSeconds, lifetimeSeconds: lifetimeSeconds)
    } catch {
      throw AccountError(.internalError, "the session cookie could not be created")
    }
  }
}
