import HearthEngine
import HearthPlugin

/// Lets people in who show nothing. Each gets an account of their own.
package struct AnonymousSignIn: Sendable {
  private let providers: SignInProviders
  private let signUp: SignUp

  init(providers: SignInProviders, signUp: SignUp) {
    self.providers = providers
    self.signUp = signUp
  }

  /// Makes an anonymous account.
  ///
  /// - Parameter uid: nil draws one.
  /// - Throws: `adminOnlyOperation` when it is switched off, `tooManyAttempts`, `blockingFunctionError`.
  package func createUser(
    uid: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard providers.serves(.anonymous) else { throw AccountError(.adminOnlyOperation) }
    try signUp.requireAllowed()
    try signUp.admit(client, isAnonymous: true, now: now)
    let answer = try await providers.ask(
      .anonymous, .signUp, parameters: [:], otherwise: .adminOnlyOperation, client: client, now: now)
    guard case .anonymous = answer else { throw AccountError(.adminOnlyOperation) }
    let user = try signUp.newUser(uid: uid, now: now)
    return try await signUp.create(user, provider: ProviderID.anonymous, client: client)
  }
}
