import HearthDatabase
import HearthEngine
import HearthTree

/// Takes a person out of the accounts and of what these keep: their account, if there still is one, the audit trail, and the
/// log behind both.
package struct AccountErasure: Sendable {
  let context: AccountsContext
  private var deletion: AccountDeletion { AccountDeletion(context: context) }

  /// Returns true when there is an account of that uid.
  package func hasAccount(_ uid: String) -> Bool { context.store.view.user(uid) != nil }

  /// Deletes the account, if there is one: no token of it counts from then on. Whoever is connected as the user, be it with
  /// somebody else's token, is signed out.
  ///
  /// - Returns: whether there was one.
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

  /// How many records of the audit trail are about them.
  package func trailCount(of uid: String) -> Int {
    let name = AuditRecord.name(of: uid)
    return context.store.view.audit(limit: .max).count { $0.isAbout(name) }
  }

  /// Takes the person out of the audit trail, and puts on record that this was done: by the number of the erasure, not by
  /// their uid. Done again, it finds nothing, and says so.
  ///
  /// - Parameters:
  ///   - number: names the erasure to whoever asked for it.
  ///   - orderer: the administrator who did.
  /// - Returns: how many records are without them now.
  package func eraseTrail(
    of uid: String, number: String, orderer: String?, client: ClientInfo
  ) async throws(AccountError) -> Int {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      let erasure = transaction.eraseFromTrail(uid)
      let detail =
        "erasure \(number)\(orderer.map { " by \($0)" } ?? ""): \(erasure.count) records of this trail were written anew; "
        + "its last hash was \(erasure.formerHash ?? "none")"
      transaction.audit(AuditEvent(.userErased, client: client, detail: detail))
      return erasure.count
    }
  }

  /// Writes the accounts' log anew without the person. Blocks.
  package func eraseLog(of uid: String, isCancelled: () -> Bool) throws(HistoryError) {
    _ = try context.store.database.erase(uid: uid, places: [], isCancelled: isCancelled)
  }
}
