import HearthEngine

/// What a user may change about themselves; nothing else gets into their record by their own hand.
package struct ProfileChange: Sendable {
  /// The empty text clears; nil leaves it as it is.
  package var displayName: String?
  /// The empty text clears; nil leaves it as it is.
  package var photoURL: String?
  /// Another address, as the user wrote it.
  package var email: String?
  /// A new password.
  package var password: String?
  /// Providers whose ways in go: `password`, `phone`, `google.com`, …
  package var unlinks: Set<String> = []

  /// The longest name in bytes: every token of the user repeats it.
  package static let nameBytesMax = 1_024
  /// The longest address of a picture in bytes, for the same reason.
  package static let photoURLBytesMax = 2_048

  /// A change of nothing.
  package init() {}

  var isEmpty: Bool { displayName == nil && photoURL == nil }

  func applyProfile(to user: inout UserRecord) {
    if let displayName { user.displayName = displayName.isEmpty ? nil : displayName }
    if let photoURL { user.photoURL = photoURL.isEmpty ? nil : photoURL }
  }

  /// Takes ways in away; the last one as well.
  func unlink(from user: inout UserRecord) {
    // Who sends a password beside it wants that one.
    user.removeWaysIn(password == nil ? unlinks : unlinks.subtracting(["password"]))
  }
}

extension Accounts {
  /// Does what a user wants changed about themselves. Another address or password ends their tokens so far.
  ///
  /// - Returns: the account after it, and new tokens when those so far ended.
  /// - Throws: `credentialTooOld` for another address, password or a way in that goes, unless they signed in a short while
  ///   ago; `operationNotAllowed` for another address where addresses are protected from enumeration.
  package func apply(
    _ change: ProfileChange, of caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (UserRecord, TokenTriple?) {
    let address = try change.email.map { text throws(AccountError) in try requireAddress(text) }
    // The same address again is no change.
    let newAddress = address.flatMap { $0 == caller.user.email ? nil : $0 }
    if newAddress != nil, configuration.protectsFromEnumeration {
      throw AccountError(.operationNotAllowed, "Please verify the new email before changing email.")
    }
    if newAddress != nil || change.password != nil || !change.unlinks.isEmpty {
      try requireRecentSignIn(caller, now: now)
    }
    guard newAddress != nil || change.password != nil else {
      return (try await applyProfile(change, of: caller, client: client), nil)
    }
    if newAddress != nil { try admitSignUp(client, now: now) }
    guard change.password == nil || providers.provider(for: .password) != nil else {
      throw AccountError(.operationNotAllowed)
    }
    guard change.password == nil || (newAddress ?? caller.user.email) != nil else { throw AccountError(.missingEmail) }
    var stored: StoredPassword?
    if let password = change.password {
      stored = try await hashedPassword(
        password, email: newAddress ?? caller.user.email, operation: .change, client: client, now: now)
    }
    let (password, recovery) = (stored, try newRecovery(client))
    let changed = try await changeCredentials(
      of: caller.user.uid, caller: caller, event: password != nil ? .passwordChanged : .emailChanged,
      client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      change.applyProfile(to: &user)
      change.unlink(from: &user)
      if let password {
        user.password = password
        user.hasTemporaryPassword = false
        transaction.removeTickets(of: user.uid, purposes: .endedByChange)
      }
      if let newAddress {
        try Self.moveAddress(
          of: &user, to: newAddress, isVerified: false, recovery: recovery, in: &transaction, now: now)
      }
    }
    if let newAddress { mailRecovery(recovery, to: changed.user, from: newAddress, client: client, now: now) }
    if password != nil { tell(.passwordChanged, changed.user, client: client, now: now) }
    return changed
  }

  private func requireAddress(_ text: String) throws(AccountError) -> String {
    guard let address = EmailAddress.canonical(text) else { throw AccountError(.invalidEmail) }
    return address
  }

  /// What ends no session: a name, a picture, and ways in that go. The ID token that asked stays good, since clients go on
  /// with it.
  private func applyProfile(
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
