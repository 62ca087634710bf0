import HearthEngine
import HearthPlugin

/// Lets people in who show nothing. Each gets an account of their own.
package struct AnonymousSignIn: Sendable {
  let providers: SignInProviders
  let signUp: SignUp

  /// An anonymous account, which is made when its user comes in.
  ///
  /// - Parameter uid: nil draws one.
  /// - Throws: `adminOnlyOperation` when it is switched off, `tooManyAttempts`.
  package func newUser(
    uid: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> ProvenUser {
    guard providers.serves(.anonymous) else { throw AccountError(.adminOnlyOperation) }
    try signUp.requireAllowed()
    try signUp.admit(client, isAnonymous: true, now: now)
    let answer = try await providers.ask(
      .anonymous, .signUp, parameters: [:], otherwise: .adminOnlyOperation, client: client, now: now)
    guard case .anonymous = answer else { throw AccountError(.adminOnlyOperation) }
    let user = try signUp.newUser(uid: uid, now: now)
    return signUp.newcomer(user, SignInWay(ProviderID.anonymous), client: client)
  }
}
