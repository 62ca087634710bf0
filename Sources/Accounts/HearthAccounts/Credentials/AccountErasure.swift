import HearthDatabase
import HearthEngine
import HearthTree

/// Erases a user: the account, if it still exists, their entries of the audit trail, and the log files that contain either.
package struct AccountErasure: Sendable {
  let context: AccountsContext
  private var deletion: AccountDeletion { AccountDeletion(context: context) }

  /// Returns true when there is an account of that uid.
  package func hasAccount(_ uid: String) -> Bool { context.store.view.user(uid) != nil }

  /// Deletes the account, if it exists: its tokens become invalid. Connections signed in as the user are signed out,
  /// also those with a token from another issuer.
  ///
  /// - Returns: true when the account existed.
  package func deleteAccount(_ uid: String, client: ClientInfo) async throws(AccountError) -> Bool {
    do throws(AccountError) {
      try await deletion.delete(uid: uid, client: client, detail: "erasure")
      return true
    } catch {
      guard error.code == .userNotFound else { throw error }
      context.announce(.user(uid: uid), .userDeleted)
      return false
    }
  }

  /// The number of audit records about the user.
  package func trailCount(of uid: String) -> Int {
    let name = AuditRecord.name(of: uid)
    return context.store.view.audit(limit: .max).count { $0.isAbout(name) }
  }

  /// Removes the user from the audit trail, and records the erasure by its number, not by the uid. A repeated erasure removes
  /// nothing, and is recorded as such.
  ///
  /// - Parameters:
  ///   - number: identifies the erasure for its requester.
  ///   - requester: the administrator who requested it.
  /// - Returns: the number of records that the user was removed from.
  package func eraseTrail(
    of uid: String, number: String, requester: String?, client: ClientInfo
  ) async throws(AccountError) -> Int {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      let erasure = transaction.eraseFromTrail(uid)
      let detail =
        "erasure \(number)\(requester.map { " by \($0)" } ?? ""): \(erasure.count) records of this trail were rewritten; "
        + "its last hash was \(erasure.formerHash ?? "none")"
      transaction.audit(AuditEvent(.userErased, client: client, detail: detail))
      return erasure.count
    }
  }

  /// Rewrites the accounts' log without the user. Blocks.
  package func eraseLog(of uid: String, isCancelled: () -> Bool) throws(HistoryError) {
    _ = try context.store.database.erase(uid: uid, places: [], isCancelled: isCancelled)
  }
}
