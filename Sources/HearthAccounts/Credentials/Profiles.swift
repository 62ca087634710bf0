import HearthEngine

/// Changes what users may change about themselves.
package struct Profiles: Sendable {
  private let store: AccountStore
  private let callers: Callers
  private let providers: SignInProviders
  private let passwords: NewPasswords
  private let changes: CredentialChanges
  private let addresses: AddressChanges
  private let mails: AccountMails
  private let signUp: SignUpLimit
  private let configuration: LiveConfiguration

  init(
    store: AccountStore, callers: Callers, providers: SignInProviders, passwords: NewPasswords,
    changes: CredentialChanges, addresses: AddressChanges, mails: AccountMails, signUp: SignUpLimit,
    configuration: LiveConfiguration
  ) {
    self.store = store
    self.callers = callers
    self.providers = providers
    self.passwords = passwords
    self.changes = changes
    self.addresses = addresses
    self.mails = mails
    self.signUp = signUp
    self.configuration = configuration
  }

  /// Does what a user wants changed about themselves. Another address or password ends their tokens so far.
  ///
  /// - Returns: the account after it, and new tokens when those so far ended.
  /// - Throws: `credentialTooOld` for another address, password or a way in that goes, unless they signed in a short while
  ///   ago; `operationNotAllowed` for another address where addresses are protected from enumeration; `invalidEmail`,
  ///   `emailExists`, `missingEmail`, `tooManyAttempts`; what the password policy says.
  package func apply(
    _ change: ProfileChange, of caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let newAddress = try newAddress(change, of: caller)
    if newAddress != nil, configuration.value.protectsFromEnumeration {
      throw AccountError(.operationNotAllowed, "Please verify the new email before changing email.")
    }
    if newAddress != nil || change.password != nil || !change.unlinks.isEmpty {
      try callers.requireRecentSignIn(caller, now: now)
    }
    guard newAddress != nil || change.password != nil else {
      return (try await applyHarmless(change, of: caller, client: client), nil)
    }
    if newAddress != nil { try signUp.admit(client, now: now) }
    let password = try await newPassword(change, email: newAddress ?? caller.user.email, client: client, now: now)
    let changed = try await apply(
      change, password: password, newAddress: newAddress, of: caller, client: client, now: now)
    if password != nil { mails.tell(.passwordChanged, changed.user, client: client, now: now) }
    return changed
  }

  /// The address that the account does not have yet; nil when it stays.
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
    return try await passwords.take(password, email: email, .change, client: client, now: now)
  }

  /// What ends the tokens: a password, an address, or both.
  private func apply(
    _ change: ProfileChange, password: StoredPassword?, newAddress: String?, of caller: Caller, client: ClientInfo,
    now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let apply: @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void = {
      (transaction, user) throws(AccountError) in
      change.applyProfile(to: &user)
      change.unlink(from: &user)
      if let password {
        user.password = password
        user.hasTemporaryPassword = false
        transaction.removeTickets(of: user.uid, purposes: .endedByChange)
      }
    }
    let event: AuditEvent.Kind = password != nil ? .passwordChanged : .emailChanged
    if let newAddress {
      return try await addresses.move(
        caller.user.uid, to: newAddress, isVerified: false, caller: caller, event: event, client: client, now: now,
        change: apply)
    }
    return try await changes.change(
      of: caller.user.uid, caller: caller, event: event, client: client, now: now, change: apply)
  }

  /// Changes that end no session: name, picture, removed providers. The ID token of the request stays valid, since
  /// clients go on using it.
  private func applyHarmless(
    _ change: ProfileChange, of caller: Caller, client: ClientInfo
  ) async throws(AccountError) -> UserRecord {
    guard !change.isEmpty || !change.unlinks.isEmpty else { return caller.user }
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      change.applyProfile(to: &user)
      change.unlink(from: &user)
      try transaction.update(user)
      let event: AuditEvent.Kind = change.unlinks.isEmpty ? .profileChanged : .providerUnlinked
      transaction.audit(AuditEvent(event, uid: user.uid, email: user.email, client: client))
      return user
    }
  }
}
