import HearthCrypto

/// Somebody whose first factor was right: an account, or one that is to be made when they come in.
package struct ProvenUser: Sendable {
  /// The account as it was when the credential was checked; a new one is not stored yet.
  package let user: UserRecord
  /// What they came in by.
  package let way: SignInWay
  /// For the tokens of the session, checked.
  package let claims: [ClaimValue.Member]
  /// How a new account is made; nil for one that is there.
  let creation: AccountCreation?

  /// The account is made with this sign-in.
  package var isNew: Bool { creation != nil }

  /// Somebody who has an account.
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
  /// The same person once they have an account, which somebody else made meanwhile.
  ///
  /// - Throws: `tokenExpired` when that one has a second factor, which was not shown.
  func present() async throws(AccountError) -> ProvenUser {
    guard let present = try await creation?.again(), !present.isNew else { throw AccountError(.userNotFound) }
    guard present.user.factors.isEmpty else { throw AccountError(.tokenExpired) }
    return present
  }
}

/// How an account is made once everybody who decides has agreed.
struct AccountCreation: Sendable {
  /// Whoever comes in may come in to the account that somebody made meanwhile; otherwise what they wanted is taken.
  var canJoin = true
  /// Adds the account, and uses up what proved it. Changes nothing and gives nil when the person has an account by now.
  let add: @Sendable (inout AccountTransaction, UserRecord) throws(AccountError) -> UserRecord?
  /// Who the person is when they have an account by now.
  let again: @Sendable () async throws(AccountError) -> ProvenUser
}
