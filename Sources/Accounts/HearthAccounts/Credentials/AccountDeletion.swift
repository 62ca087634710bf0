import HearthEngine

/// Deletes accounts with everything that belongs to them. A later account of the same uid inherits nothing, and tokens
/// of the deleted one are not valid for it.
package struct AccountDeletion: Sendable {
  let context: AccountsContext

  /// Deletes one account.
  ///
  /// - Parameters:
  ///   - caller: the signed-in user, when the request has an ID token.
  ///   - authenticated: the account as it was when its password was checked, when the request has a password.
  ///   - detail: the detail of the audit record.
  ///   - check: refuses the deletion by an error.
  /// - Throws: `userNotFound`; `userDisabled` and `tokenExpired` when the shown credential is no longer valid.
  package func delete(
    uid: String, caller: Caller? = nil, authenticated: UserRecord? = nil, client: ClientInfo, detail: String? = nil,
    check: @escaping @Sendable (UserRecord) throws(AccountError) -> Void = { _ in }
  ) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      if let authenticated { try user.requireCredentials(of: authenticated) }
      try check(user)
      transaction.delete(uid)
      transaction.addEvent(.deleted, uid)
      transaction.audit(AuditEvent(.userDeleted, uid: uid, email: user.email, client: client, detail: detail))
    }
    context.announce(.user(uid: uid), .userDeleted)
  }
}
