import HearthCrypto

/// A user whose first factor was right: an existing account, or one that the sign-in creates.
package struct AuthenticatedUser: Sendable {
  /// The account as it was when the credential was checked; a new one is not stored yet.
  package let user: UserRecord
  /// The provider and the method.
  package let signIn: SignInContext
  /// The claims for the session's tokens, checked.
  package let claims: [ClaimValue.Member]
  /// The creation of the account; nil for an existing one.
  let creation: AccountCreation?

  /// True when the account is created with this sign-in.
  package var isNew: Bool { creation != nil }

  /// Creates the value for an existing account.
  package init(_ user: UserRecord, _ signIn: SignInContext, claims: [ClaimValue.Member] = []) {
    self.init(user, signIn, claims: claims, creation: nil)
  }

  init(_ user: UserRecord, _ signIn: SignInContext, claims: [ClaimValue.Member] = [], creation: AccountCreation?) {
    self.user = user
    self.signIn = signIn
    self.claims = claims
    self.creation = creation
  }
}

extension AuthenticatedUser {
  /// Returns the same user with the account that a concurrent request created.
  ///
  /// - Throws: `tokenExpired` when that account has a second factor, which was not shown.
  func present() async throws(AccountError) -> AuthenticatedUser {
    guard let present = try await creation?.reidentify(), !present.isNew else { throw AccountError(.userNotFound) }
    guard present.user.factors.isEmpty else { throw AccountError(.tokenExpired) }
    return present
  }
}

/// The creation of an account, once all hooks have agreed.
struct AccountCreation: Sendable {
  /// True when the sign-in may continue with an account that a concurrent request created; false when it is refused in this case,
  /// because the names are taken.
  var canJoin = true
  /// Adds the account and consumes its proof. Returns nil and changes nothing when the user has an account by now.
  let add: @Sendable (inout AccountTransaction, UserRecord) throws(AccountError) -> UserRecord?
  /// Identifies the user again, once they have an account.
  let reidentify: @Sendable () async throws(AccountError) -> AuthenticatedUser
}
