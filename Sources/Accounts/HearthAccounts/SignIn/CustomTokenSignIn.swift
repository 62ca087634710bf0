import HearthCrypto
import HearthEngine
import HearthPlugin

/// Signs in users that another authority names: a custom token of the app's own back end, or a provider plugin that
/// knows user ids.
package struct CustomTokenSignIn: Sendable {
  let context: AccountsContext
  let providers: SignInProviders

  /// Signs in with a token that names the uid, made by a service account.
  ///
  /// - Throws: `missingCustomToken`, `operationNotAllowed`, `invalidCustomToken`; the errors of
  ///   ``signIn(_:provider:client:now:)``.
  package func signIn(token: String?, client: ClientInfo, now: Instant) async throws(AccountError) -> AuthenticatedUser
  {
    guard let token, !token.isEmpty else { throw AccountError(.missingCustomToken) }
    let answer = try await providers.ask(
      .customToken, .signIn, parameters: ["token": token], otherwise: .operationNotAllowed, client: client, now: now)
    guard case .user(let named) = answer else { throw AccountError(.invalidCustomToken) }
    return try signIn(named, provider: named.signInProvider ?? ProviderID.custom, client: client, now: now)
  }

  /// Returns the user that a provider named; an account is created at the first sign-in.
  ///
  /// - Parameter provider: the id as tokens show it.
  /// - Throws: `missingIdentifier` for an invalid uid; `userDisabled`; `invalidCustomToken` for a credential that is
  ///   older than the account's deletion.
  package func signIn(
    _ named: NamedUser, provider: String, client: ClientInfo, now: Instant
  ) throws(AccountError) -> AuthenticatedUser {
    guard UserRecord.isUID(named.uid) else { throw AccountError(.missingIdentifier) }
    let signIn = SignInContext(provider)
    let claims: [ClaimValue.Member] =
      if let json = named.claims { try SessionClaims.read(json, takesComputed: true) } else { [] }
    let view = context.store.view
    try view.requireNotOfDeleted(named)
    if let user = view.user(named.uid) {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      return AuthenticatedUser(user, signIn, claims: claims)
    }
    var user = UserRecord(uid: named.uid, createdAtMilliseconds: now.wallMilliseconds)
    user.isCustomAuth = true
    return AuthenticatedUser(
      user, signIn, claims: claims,
      creation: AccountCreation { (transaction, user) throws(AccountError) in
        try transaction.requireNotOfDeleted(named)
        guard transaction.user(user.uid) == nil else { return nil }
        return try transaction.addNewUser(user, by: provider, client: client)
      } reidentify: { () throws(AccountError) in
        try self.signIn(named, provider: provider, client: client, now: now)
      })
  }
}
