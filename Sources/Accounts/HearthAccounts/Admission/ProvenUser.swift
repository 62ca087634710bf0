import HearthCrypto

/// A user whose first factor was right: an existing account, or one that the sign-in creates.
package struct ProvenUser: Sendable {
  /// The account as it was when the credential was checked; a new one is not stored yet.
  package let user: UserRecord
  /// The way of signing in.
  package let way: SignInWay
  /// The claims for the session's tokens, checked.
  package let claims: [ClaimValue.Member]
  /// The creation of the account; nil for an existing one.
  let creation: AccountCreation?

  /// True when the account is created with this sign-in.
  package var isNew: Bool { creation != nil }

  /// Creates the value for an existing account.
  package init(_ user: UserRecord, _ way: SignInWay, claims: [ClaimValue.Member] = []) {
    self.init(user, way, claims: claims, creation: nil)
  }

  init(_ user: UserRecord, _ way: SignInWay, claims: [ClaimValue.Member] = [], creation: AccountCreation?) {
    self.user = user
    self.way = way
    self.claims = claims
    self.creation = creation
  }
}

extension ProvenUser {
  /// Returns the same user with the account that a concurrent request created.
  ///
  /// - Throws: `tokenExpired` when that account has a second factor, which was not shown.
  func present() async throws(AccountError) -> ProvenUser {
    guard let present = try await creation?.again(), !present.isNew else { throw AccountError(.userNotFound) }
    guard present.user.factors.isEmpty else { throw AccountError(.tokenExpired) }
    return present
  }
}

/// The creation of an account, once all hooks have agreed.
struct AccountCreation: Sendable {
  /// True when the sign-in may continue with an account that a concurrent request created; otherwise its names count as
  /// taken.
  var canJoin = true
  /// Adds the account and consumes its proof. Returns nil and changes nothing when the user has an account by now.
  let add: @Sendable (inout AccountTransaction, UserRecord) throws(AccountError) -> UserRecord?
  /// Identifies the user again, once they have an account.
  let again: @Sendable () async throws(AccountError) -> ProvenUser
}
