import HearthEngine

/// Deletes accounts with everything that belongs to them. A later account of the same uid inherits nothing, and tokens
/// of the deleted one are not valid for it.
package struct AccountDeletion: Sendable {
  let context: AccountsContext

  /// Deletes one account.
  ///
  /// - Parameters:
  ///   - caller: who asked, when it is the user with an ID token.
  ///   - proven: the account as it was when its password was shown, when it is the user with that.
  ///   - detail: for the audit record.
  /// - Throws: `userNotFound`; `userDisabled` and `tokenExpired` when what was shown counts no longer.
  package func delete(
    uid: String, caller: Caller? = nil, proven: UserRecord? = nil, client: ClientInfo, detail: String? = nil
  ) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      if let caller { try caller.check(against: user) }
      if let proven { try user.requireCredentials(of: proven) }
      transaction.delete(uid)
      transaction.tell(.deleted, uid)
      transaction.audit(AuditEvent(.userDeleted, uid: uid, email: user.email, client: client, detail: detail))
    }
    context.announce(.user(uid: uid), .userDeleted)
  }
}
