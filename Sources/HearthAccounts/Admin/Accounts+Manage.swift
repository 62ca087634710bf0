import HearthCrypto
import HearthPlugin

/// Accounts, one at a time or many at once, for an administrator.
extension Accounts {
  /// Makes an account.
  ///
  /// - Parameters:
  ///   - uid: nil draws one.
  ///   - password: held to what clients' passwords are held to.
  package func createUser(
    _ change: AccountChange, uid given: String?, password: String?, by administrator: Administrator
  ) async throws(AccountError) -> UserRecord {
    let uid = if let given { given } else { try newUID() }
    try Self.check(uid: uid)
    var user = UserRecord(uid: uid, createdAtMilliseconds: administrator.now.wallMilliseconds)
    _ = try change.apply(to: &user, revokesOnClaimChange: false)
    guard user.factors.count <= configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
    if let password {
      user.password = try await newPassword(password, for: user, operation: .signUp, by: administrator)
    }
    user.initialEmail = user.email
    try await store.transact { [user] (transaction) throws(AccountError) in
      try transaction.insert(user)
      transaction.audit(administrator.event(.signUp, user))
    }
    return user
  }

  /// Changes an account; what the change ends ends.
  ///
  /// - Returns: the account after it.
  /// - Throws: `userNotFound`; `secondFactorLimit`; what the password policy says.
  package func updateUser(
    uid: String, _ wanted: AccountChange, password: String?, by administrator: Administrator
  ) async throws(AccountError) -> UserRecord {
    var change = wanted
    if let password {
      guard var user = store.view.user(uid) else { throw AccountError(.userNotFound) }
      change.email.apply(to: &user.email)
      change.password = .set(try await newPassword(password, for: user, operation: .change, by: administrator))
    }
    let configuration = configuration
    let (user, outcome) = try await store.transact {
      [change] (transaction) throws(AccountError) -> (UserRecord, AccountChange.Outcome) in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      let outcome = try change.apply(to: &user, revokesOnClaimChange: configuration.revokesOnClaimChange)
      guard user.factors.count <= configuration.secondFactorsMax else { throw AccountError(.secondFactorLimit) }
      if outcome.endsTokens { transaction.endTokens(of: &user, shownSeconds: outcome.shownSeconds) }
      try transaction.update(user)
      if outcome.endsTickets { transaction.removeTickets(of: uid) }
      for event in outcome.events.isEmpty ? [.profileChanged] : outcome.events {
        transaction.audit(administrator.event(event, user))
      }
      return (user, outcome)
    }
    if outcome.endsTokens || user.isDisabled { onRevocation(.user(uid: uid), outcome.ending) }
    return user
  }

  /// Deletes an account with everything that belongs to it.
  ///
  /// - Throws: `userNotFound`.
  package func deleteUser(uid: String, by administrator: Administrator) async throws(AccountError) {
    try await deleteUser(uid: uid, client: administrator.client, detail: "by \(administrator.name)")
  }

  /// Deletes accounts in one transaction. Those that are not disabled stay, unless it is forced.
  ///
  /// - Returns: those that stayed, by their place in the list.
  package func deleteUsers(
    _ uids: [String], isForced: Bool, by administrator: Administrator
  ) async throws(AccountError) -> [(index: Int, uid: String)] {
    let (deleted, kept) = try await store.transact {
      (transaction) throws(AccountError) -> ([String], [(index: Int, uid: String)]) in
      var (deleted, kept): ([String], [(index: Int, uid: String)]) = ([], [])
      for (index, uid) in uids.enumerated() {
        // Whoever is not there needs no deleting.
        guard let user = transaction.user(uid) else { continue }
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
    for uid in deleted { onRevocation(.user(uid: uid), .userDeleted) }
    return kept
  }

  /// Ends every session and token of a user.
  ///
  /// - Returns: the account after it.
  /// - Throws: `userNotFound`.
  package func revokeSessions(uid: String, by administrator: Administrator) async throws(AccountError) -> UserRecord {
    try await revokeSessions(
      uid: uid, detail: administrator.event(.revoked).detail, client: administrator.client, now: administrator.now)
  }

  /// Puts it on record, before it happens, that accounts are given away whole: with hashes and keys.
  ///
  /// - Parameter count: of the accounts.
  package func noteExport(count: Int, by administrator: Administrator) async throws(AccountError) {
    try await store.transact { (transaction) throws(AccountError) in
      transaction.audit(administrator.event(.usersExported, detail: "\(count) accounts"))
    }
  }

  /// The password's hash, once the password plugin has accepted it: an administrator's passwords are held to what
  /// clients' are.
  private func newPassword(
    _ password: String, for user: UserRecord, operation: SignInRequest.Operation, by administrator: Administrator
  ) async throws(AccountError) -> StoredPassword {
    try await hashedPassword(
      password, email: user.email, operation: operation, client: administrator.client, now: administrator.now)
  }

  /// - Throws: `invalidArgument` for what can be no user id.
  package static func check(uid: String) throws(AccountError) {
    guard IDTokenClaims.isUID(uid) else {
      throw AccountError(.invalidArgument, "localId must be 1 to 128 characters, no control characters")
    }
  }

  /// The secret of an authenticator, as records keep it: encrypted.
  package func sealFactor(_ secret: [UInt8]) throws(AccountError) -> String {
    try drawn { (_) throws(RandomnessError) in try keys.seal(secret) }
  }
}
