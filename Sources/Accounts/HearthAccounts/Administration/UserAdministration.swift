import HearthCrypto
import HearthPlugin

/// Accounts, one at a time or many at once, for an administrator.
package struct UserAdministration: Sendable {
  let context: AccountsContext
  let passwords: NewPasswords
  private var deletion: AccountDeletion { AccountDeletion(context: context) }
  private var revocations: Revocations { Revocations(context: context) }

  /// Creates an account.
  ///
  /// - Parameters:
  ///   - uid: the account's uid; nil generates one.
  ///   - password: checked by the same policy as clients' passwords.
  package func create(
    _ change: AccountChange, uid given: String?, password: String?, by administrator: Administrator
  ) async throws(AccountError) -> UserRecord {
    let uid = if let given { given } else { try context.secrets.uid() }
    try UserRecord.requireUID(uid)
    var user = UserRecord(uid: uid, createdAtMilliseconds: administrator.now.wallMilliseconds)
    _ = try change.apply(to: &user, revokesOnClaimChange: false)
    try administrator.requireMayChange(nil, to: user, consoleClaim: context.configuration.consoleClaim)
    guard user.factors.count <= context.configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
    if let password {
      user.password = try await newPassword(password, for: user, operation: .signUp, by: administrator)
    }
    try await context.store.transact { [user] (transaction) throws(AccountError) in
      try transaction.insert(user)
      transaction.addEvent(.created, uid)
      transaction.audit(administrator.event(.signUp, user))
    }
    return user
  }

  /// Changes an account, and ends the affected sessions.
  ///
  /// - Returns: the changed account.
  /// - Throws: `userNotFound`; `secondFactorLimit`; the password policy's errors.
  package func update(
    uid: String, _ wanted: AccountChange, password: String?, by administrator: Administrator
  ) async throws(AccountError) -> UserRecord {
    var change = wanted
    if let password {
      guard var user = context.store.view.user(uid) else { throw AccountError(.userNotFound) }
      change.email.apply(to: &user.email)
      change.password = .set(try await newPassword(password, for: user, operation: .change, by: administrator))
    }
    let configuration = context.configuration
    let (user, outcome) = try await context.store.transact {
      [change] (transaction) throws(AccountError) -> (UserRecord, AccountChange.Outcome) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      let before = user
      let outcome = try change.apply(to: &user, revokesOnClaimChange: configuration.revokesOnClaimChange)
      guard user.factors.count <= configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
      try administrator.requireMayChange(before, to: user, consoleClaim: configuration.consoleClaim)
      if outcome.endsTokens { transaction.endTokens(of: &user, shownSeconds: outcome.shownSeconds) }
      try transaction.update(user, as: [.administered])
      if outcome.endsTickets { transaction.removeTickets(of: uid) }
      for event in outcome.events.isEmpty ? [.profileChanged] : outcome.events {
        transaction.audit(administrator.event(event, user))
      }
      return (user, outcome)
    }
    if outcome.endsTokens || user.isDisabled { context.announce(.user(uid: uid), outcome.ending) }
    return user
  }

  /// Deletes an account with everything that belongs to it.
  ///
  /// - Throws: `userNotFound`, `insufficientPermission`.
  package func delete(uid: String, by administrator: Administrator) async throws(AccountError) {
    let claim = context.configuration.consoleClaim
    try await deletion.delete(uid: uid, client: administrator.client, detail: "by \(administrator.name)") {
      user throws(AccountError) in try administrator.requireMayChange(user, to: user, consoleClaim: claim)
    }
  }

  /// Deletes accounts in one transaction. Accounts that are not disabled stay, unless `isForced`. Unlike single
  /// deletions this emits no account events.
  ///
  /// - Returns: the accounts that stayed, with their index in the list.
  /// - Throws: `insufficientPermission` when one of them opens the console; then all of them stay.
  package func delete(
    _ uids: [String], isForced: Bool, by administrator: Administrator
  ) async throws(AccountError) -> [(index: Int, uid: String)] {
    let claim = context.configuration.consoleClaim
    let (deleted, kept) = try await context.store.transact {
      (transaction) throws(AccountError) -> ([String], [(index: Int, uid: String)]) in
      var (deleted, kept): ([String], [(index: Int, uid: String)]) = ([], [])
      for (index, uid) in uids.enumerated() {
        // Accounts that do not exist are passed over.
        guard let user = transaction.user(uid) else { continue }
        try administrator.requireMayChange(user, to: user, consoleClaim: claim)
        guard user.isDisabled || isForced else {
          kept.append((index, uid))
          continue
        }
        transaction.delete(uid)
        transaction.audit(administrator.event(.userDeleted, user))
        deleted.append(uid)
      }
      return (deleted, kept)
    }
    for uid in deleted { context.announce(.user(uid: uid), .userDeleted) }
    return kept
  }

  /// Ends every session and token of a user.
  ///
  /// - Returns: the changed account.
  /// - Throws: `userNotFound`.
  package func revoke(uid: String, by administrator: Administrator) async throws(AccountError) -> UserRecord {
    try await revocations.revoke(
      uid: uid, detail: administrator.event(.revoked).detail, client: administrator.client)
  }

  /// Records an export, with hashes and keys, before it happens.
  ///
  /// - Parameter count: the number of accounts.
  package func recordExport(count: Int, by administrator: Administrator) async throws(AccountError) {
    try await context.store.transact { (transaction) throws(AccountError) in
      transaction.audit(administrator.event(.usersExported, detail: "\(count) accounts"))
    }
  }

  /// Returns the password's hash, once the password plugin has accepted it by the same policy as clients' passwords.
  private func newPassword(
    _ password: String, for user: UserRecord, operation: SignInRequest.Operation, by administrator: Administrator
  ) async throws(AccountError) -> StoredPassword {
    try await passwords.checkAndHash(
      password, email: user.email, operation, client: administrator.client, now: administrator.now)
  }

  /// Returns the secret of an authenticator in the encrypted form of records.
  package func sealFactor(_ secret: [UInt8]) throws(AccountError) -> String {
    try context.secrets.draw { (_) throws(RandomnessError) in try context.keys.seal(secret) }
  }
}

extension UserRecord {
  /// - Throws: `invalidArgument` for an invalid user id.
  package static func requireUID(_ uid: String) throws(AccountError) {
    guard isUID(uid) else {
      throw AccountError(.invalidArgument, "localId must be 1 to 128 characters, no control characters")
    }
  }
}
