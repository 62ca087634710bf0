import HearthEngine

/// Changes by users to their own accounts.
package struct Profiles: Sendable {
  let context: AccountsContext
  let providers: SignInProviders
  let passwords: NewPasswords
  let changes: CredentialChangeService
  private var signUp: SignUpLimit { SignUpLimit(throttle: context.throttle) }

  /// Applies a user's change of their own account. Another address or password ends their existing tokens.
  ///
  /// - Returns: the changed account, and new tokens when the existing ones ended.
  /// - Throws: `credentialTooOld` without a recent sign-in for another address, password or a removed credential;
  ///   `operationNotAllowed` for another address where addresses are protected from enumeration; `invalidEmail`, `emailExists`,
  ///   `missingEmail`, `tooManyAttempts`; the password policy's errors.
  package func apply(
    _ change: ProfileChange, of caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let newAddress = try newAddress(change, of: caller)
    if newAddress != nil, context.configuration.protectsFromEnumeration {
      throw AccountError(.operationNotAllowed, "Please verify the new email before changing email.")
    }
    let changes = change.proofs(hasNewAddress: newAddress != nil)
    if !changes.isEmpty { try self.changes.require(changes, of: caller, now: now) }
    guard newAddress != nil || change.password != nil else {
      return (try await applyHarmless(change, changes, of: caller, client: client, now: now), nil)
    }
    if newAddress != nil { try signUp.admit(client, now: now) }
    let password = try await newPassword(change, email: newAddress ?? caller.user.email, client: client, now: now)
    return try await self.changes.change(
      changes, of: caller.user.uid, by: .session(caller, .following), client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      change.applyProfile(to: &user)
      change.unlink(from: &user)
      if let password {
        user.password = password
        user.hasTemporaryPassword = false
        transaction.removeTickets(of: user.uid, purposes: .endedByChange)
      }
      if let newAddress { try transaction.changeAddress(of: &user, to: newAddress, isVerified: false) }
    }
  }

  /// The new address; nil when it stays.
  private func newAddress(_ change: ProfileChange, of caller: Caller) throws(AccountError) -> String? {
    guard let text = change.email else { return nil }
    guard let address = EmailAddress.canonical(text) else { throw AccountError(.invalidEmail) }
    return address == caller.user.email ? nil : address
  }

  private func newPassword(
    _ change: ProfileChange, email: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> StoredPassword? {
    guard let password = change.password else { return nil }
    guard providers.serves(.password) else { throw AccountError(.operationNotAllowed) }
    guard let email else { throw AccountError(.missingEmail) }
    return try await passwords.checkAndHash(password, email: email, .change, client: client, now: now)
  }

  /// Applies changes that keep the caller's session: name, picture, removed providers. The ID token of the request
  /// stays valid, since clients continue to use it.
  private func applyHarmless(
    _ change: ProfileChange, _ proofs: [CredentialChange], of caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard proofs.isEmpty else {
      return try await changes.change(
        proofs, of: caller.user.uid, by: .session(caller, .same),
        detail: PlainText.line(change.unlinks.sorted().joined(separator: " "), lengthMax: 256), client: client, now: now
      ) { (_, user) throws(AccountError) in
        change.applyProfile(to: &user)
        change.unlink(from: &user)
      }.user
    }
    guard !change.isEmpty else { return caller.user }
    return try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      change.applyProfile(to: &user)
      try transaction.update(user)
      transaction.audit(AuditEvent(.profileChanged, uid: user.uid, email: user.email, client: client))
      return user
    }
  }
}
