import HearthCrypto

/// A user of an import, read and validated.
package struct ImportedUser: Sendable {
  /// The account as it will be stored.
  package var record: UserRecord
  /// The key that the record's password hash needs, if any.
  package var signerKey: SignerKey?

  /// - Parameter record: the account as it will be stored.
  package init(_ record: UserRecord) { self.record = record }
}

/// A user of an import that was refused.
package struct ImportRefusal: Sendable {
  /// The user's index in the list.
  package var index: Int
  /// The reason.
  package var error: AccountError

  /// - Throws: the error itself when it is not about the user.
  package init(_ index: Int, _ error: AccountError) throws(AccountError) {
    if error.isTransient { throw error }
    self.index = index
    self.error = error
  }
}

/// Imports accounts from another system.
package struct UserImport: Sendable {
  let context: AccountsContext

  /// Creates accounts with the password hashes of another system, in one transaction.
  ///
  /// - Parameters:
  ///   - users: the users, with their indices in the submitted list.
  ///   - refusals: the users that could not be read.
  ///   - mayOverwrite: true when existing accounts are replaced; their tokens end.
  /// - Returns: all refusals, in the order of the list; the other users are created.
  package func importUsers(
    _ users: [(index: Int, user: ImportedUser)], refusals: [ImportRefusal], mayOverwrite: Bool,
    by administrator: Administrator
  ) async throws(AccountError) -> [ImportRefusal] {
    var sealedKeys: [String: String] = [:]
    for (_, user) in users {
      if let key = user.signerKey, sealedKeys[key.id] == nil { sealedKeys[key.id] = try sealed(key) }
    }
    let (keys, consoleClaim) = (context.keys, context.configuration.consoleClaim)
    let (refused, ended) = try await context.store.transact {
      [sealedKeys] (transaction) throws(AccountError) -> ([ImportRefusal], [Revocation]) in
      var refusals = refusals
      var ended: [Revocation] = []
      for (index, user) in users {
        do throws(AccountError) {
          if let key = user.signerKey {
            if let present = transaction.importKey(key.id) {
              guard keys.unseal(present) == key.key else {
                throw AccountError(.invalidArgument, "another signer key already has this id")
              }
            } else if let text = sealedKeys[key.id] {
              transaction.putImportKey(key.id, text)
            }
          }
          try administrator.requireMayChange(
            transaction.user(user.record.uid), to: user.record, consoleClaim: consoleClaim)
          guard var present = transaction.user(user.record.uid) else {
            try transaction.insert(user.record)
            continue
          }
          guard mayOverwrite else {
            throw AccountError(.invalidArgument, "localId belongs to an existing account - can not overwrite.")
          }
          var record = user.record
          // The tokens of the replaced account end: its uid may belong to another user now.
          transaction.endTokens(of: &present)
          record.cutoff = present.cutoff
          record.validSinceSeconds = present.validSinceSeconds
          try transaction.update(record, as: [.administered])
          transaction.removeTickets(of: record.uid)
          ended.append(.user(uid: record.uid))
        } catch {
          refusals.append(try ImportRefusal(index, error))
        }
      }
      transaction.audit(
        administrator.event(.usersImported, detail: "\(users.count) read, \(refusals.count) refused"))
      return (refusals.sorted { $0.index < $1.index }, ended)
    }
    for revocation in ended { context.announce(revocation, .usersImported) }
    return refused
  }

  private func sealed(_ key: SignerKey) throws(AccountError) -> String {
    try context.secrets.draw { (_) throws(RandomnessError) in try context.keys.seal(key.key) }
  }
}
