import HearthEngine
import HearthPlugin

/// Sign-in without a credential. Each creates an account of its own.
package struct AnonymousSignIn: Sendable {
  let providers: SignInProviders
  let signUp: SignUp

  /// Returns an anonymous user, whose account is created when the sign-in completes.
  ///
  /// - Parameter uid: nil generates one.
  /// - Throws: `adminOnlyOperation` when it is switched off, `tooManyAttempts`.
  package func newUser(
    uid: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> AuthenticatedUser {
    guard providers.serves(.anonymous) else { throw AccountError(.adminOnlyOperation) }
    try signUp.requireAllowed()
    try signUp.admit(client, isAnonymous: true, now: now)
    let answer = try await providers.ask(
      .anonymous, .signUp, parameters: [:], otherwise: .adminOnlyOperation, client: client, now: now)
    guard case .anonymous = answer else { throw AccountError(.adminOnlyOperation) }
    let user = try signUp.newUser(uid: uid, now: now)
    return signUp.pendingUser(user, SignInContext(ProviderID.anonymous), client: client)
  }
}
