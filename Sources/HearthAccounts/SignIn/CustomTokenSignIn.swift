import HearthCrypto
import HearthEngine
import HearthPlugin

/// Signs people in whom somebody else has named: a custom token of the app's own back end, or a provider plugin that knows
/// user ids.
package struct CustomTokenSignIn: Sendable {
  private let providers: SignInProviders
  private let store: AccountStore
  private let signUp: SignUp

  init(providers: SignInProviders, store: AccountStore, signUp: SignUp) {
    self.providers = providers
    self.store = store
    self.signUp = signUp
  }

  /// Somebody who was named, with the account that they have now.
  package struct SignedIn: Sendable {
    /// The account, which has no session by that.
    package let user: UserRecord
    /// As tokens show it.
    package let provider: String
    /// For the tokens of the session.
    package let claims: [ClaimValue.Member]
    /// The account was made just now.
    package let isNew: Bool
  }

  /// Signs in with a token that names the uid, made by a service account.
  ///
  /// - Throws: `missingCustomToken`, `operationNotAllowed`, `invalidCustomToken`; what ``signIn(_:provider:client:now:)``
  ///   throws.
  package func signIn(token: String?, client: ClientInfo, now: Instant) async throws(AccountError) -> SignedIn {
    guard let token, !token.isEmpty else { throw AccountError(.missingCustomToken) }
    let answer = try await providers.ask(
      .customToken, .signIn, parameters: ["token": token], otherwise: .operationNotAllowed, client: client, now: now)
    guard case .user(let named) = answer else { throw AccountError(.invalidCustomToken) }
    return try await signIn(named, provider: named.signInProvider ?? ProviderID.custom, client: client, now: now)
  }

  /// Finds or makes the account that a provider named.
  ///
  /// - Parameter provider: as tokens show it.
  /// - Throws: `missingIdentifier` for a name that can be no uid; `userDisabled`; `invalidCustomToken` for a credential
  ///   that is older than the account's deletion; `blockingFunctionError`.
  package func signIn(
    _ named: NamedUser, provider: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignedIn {
    guard UserRecord.isUID(named.uid) else { throw AccountError(.missingIdentifier) }
    let claims: [ClaimValue.Member] = if let json = named.claims { try SessionClaims.read(json) } else { [] }
    let view = store.view
    try view.requireNotOfDeleted(named)
    if let user = view.user(named.uid) {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      return SignedIn(user: user, provider: provider, claims: claims, isNew: false)
    }
    var user = UserRecord(uid: named.uid, createdAtMilliseconds: now.wallMilliseconds)
    user.isCustomAuth = true
    do {
      let kept = try await signUp.create(user, provider: provider, client: client) {
        (transaction) throws(AccountError) in
        try transaction.requireNotOfDeleted(named)
      }
      return SignedIn(user: kept, provider: provider, claims: claims, isNew: true)
    } catch {
      // Somebody came in with the same uid meanwhile.
      guard error.code == .duplicateLocalID, let present = store.view.user(named.uid) else { throw error }
      guard !present.isDisabled else { throw AccountError(.userDisabled) }
      return SignedIn(user: present, provider: provider, claims: claims, isNew: false)
    }
  }
}
