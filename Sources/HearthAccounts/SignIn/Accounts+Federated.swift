import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

extension Accounts {
  /// Signs in with another provider's credential: finds the account, or makes it.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the provider documents them.
  ///   - newUID: the uid of an account that is made; nil draws one.
  /// - Throws: `emailExists` when the address belongs to an account and the provider has not proven it.
  package func federatedSignIn(
    providerID: String, parameters: [String: String], newUID: (@Sendable (ForeignIdentity) -> String)? = nil,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, identity: ForeignIdentity, isNew: Bool) {
    guard let provider = providers.credentialProvider(providerID) else { throw AccountError(.operationNotAllowed) }
    let answer = try await ask(provider, .credential, .signIn, parameters: parameters, client: client, now: now)
    guard case .identity(let foreign) = answer else {
      throw AccountError(.invalidProviderResponse, "The provider names no identity.")
    }
    let identity = FederatedIdentity(providerID: providerID, foreign)
    switch try await federatedUser(
      identity, allowsCreation: true, newUID: newUID?(foreign), client: client, now: now)
    {
    case .user(let user, let isNew): return (user, foreign, isNew)
    case .needsConfirmation: throw AccountError(.emailExists)
    case .needsCreation: throw AccountError(.userNotFound)
    }
  }

  /// Finds, links or makes the account of an identity.
  ///
  /// The store is asked first, without leave to make an account; only when it wants to make one are limits and hooks
  /// asked, and then it decides once more on its newest state.
  package func federatedUser(
    _ identity: FederatedIdentity, allowsCreation: Bool, newUID: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> FederatedOutcome {
    guard identity.isUsable else { throw AccountError(.invalidProviderResponse, "The provider's id is not usable.") }
    let first = try await resolve(identity, creating: nil, client: client)
    guard case .needsCreation = first, allowsCreation else { return first }
    guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
    try admitSignUp(client, now: now)
    var user = UserRecord(uid: try chosenUID(newUID), createdAtMilliseconds: now.wallMilliseconds)
    user.email = identity.email
    user.initialEmail = identity.email
    user.isEmailVerified = identity.isEmailVerified
    user.displayName = identity.identity.displayName
    user.photoURL = identity.identity.photoURL
    user.identities = [identity.identity]
    try await decideCreation(user, provider: identity.identity.providerID, client: client)
    return try await resolve(identity, creating: user, client: client)
  }

  private func resolve(
    _ identity: FederatedIdentity, creating new: UserRecord?, client: ClientInfo
  ) async throws(AccountError) -> FederatedOutcome {
    let (outcome, isTakenOver) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (FederatedOutcome, Bool) in
      try transaction.resolve(identity, creating: new, client: client)
    }
    if isTakenOver, case .user(let user, _) = outcome {
      onRevocation(.user(uid: user.uid), .providerLinked)
    }
    return outcome
  }

  /// Adds an identity to the account of somebody who is signed in.
  func link(
    _ identity: FederatedIdentity, to caller: Caller, client: ClientInfo,
    change: @escaping @Sendable (inout AccountTransaction) throws(AccountError) -> Void = { (_) throws(AccountError) in
    }
  ) async throws(AccountError) -> UserRecord {
    guard identity.isUsable else { throw AccountError(.invalidProviderResponse, "The provider's id is not usable.") }
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      try change(&transaction)
      try transaction.link(identity, to: &user)
      try transaction.update(user)
      transaction.audit(
        AuditEvent(
          .providerLinked, uid: user.uid, email: user.email, client: client, detail: identity.identity.providerID))
      return user
    }
  }
}

extension AccountTransaction {
  /// - Returns: the outcome, and whether an unproven account was purged for the owner of its address.
  fileprivate mutating func resolve(
    _ identity: FederatedIdentity, creating new: UserRecord?, client: ClientInfo
  ) throws(AccountError) -> (FederatedOutcome, Bool) {
    let providerID = identity.identity.providerID
    if var user = user(providerID: providerID, rawID: identity.identity.rawID) {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      user.replaceIdentity(identity.identity)
      if identity.isEmailVerified, user.email == identity.email { user.isEmailVerified = true }
      try update(user)
      return (.user(user, isNew: false), false)
    }
    if let email = identity.email, var user = user(email: email) {
      guard identity.isEmailVerified else { return (.needsConfirmation(user), false) }
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      let isTakenOver = !user.isEmailVerified
      if isTakenOver { purge(&user, for: "verified by \(providerID)", client: client) }
      guard !user.identities.contains(where: { $0.providerID == providerID }) else {
        // The account has another identity of the same provider: that one is to sign in.
        throw AccountError(.emailExists)
      }
      user.identities.append(identity.identity)
      user.isEmailVerified = true
      user.displayName = user.displayName ?? identity.identity.displayName
      user.photoURL = user.photoURL ?? identity.identity.photoURL
      try update(user)
      audit(AuditEvent(.providerLinked, uid: user.uid, email: email, client: client, detail: providerID))
      return (.user(user, isNew: false), isTakenOver)
    }
    guard let new else { return (.needsCreation, false) }
    let kept = try add(new)
    audit(AuditEvent(.signUp, uid: new.uid, email: new.email, client: client, detail: providerID))
    return (.user(kept, isNew: true), false)
  }

  /// Somebody made an account with an address that they never proved, and its owner has come: what the first one can
  /// get in with goes.
  mutating func purge(_ user: inout UserRecord, for reason: String, client: ClientInfo) {
    user.password = nil
    user.hasTemporaryPassword = false
    user.hasEmailLink = false
    user.phoneNumber = nil
    user.identities = []
    user.factors = []
    user.displayName = nil
    user.photoURL = nil
    endTokens(of: &user)
    removeTickets(of: user.uid)
    audit(
      AuditEvent(
        .revoked, uid: user.uid, email: user.email, client: client,
        detail: "unproven credentials removed: address \(reason)"))
  }

  fileprivate func link(_ identity: FederatedIdentity, to user: inout UserRecord) throws(AccountError) {
    let providerID = identity.identity.providerID
    // One's own as well: a client that links what is linked takes this for the news that it is.
    let isLinked = self.user(providerID: providerID, rawID: identity.identity.rawID) != nil
    guard !isLinked, !user.identities.contains(where: { $0.providerID == providerID }) else {
      throw AccountError(.federatedUserAlreadyLinked)
    }
    user.identities.append(identity.identity)
    if let email = identity.email {
      if let owner = self.user(email: email), owner.uid != user.uid { throw AccountError(.emailExists) }
      if user.email == nil {
        user.email = email
        user.initialEmail = user.initialEmail ?? email
        user.isEmailVerified = identity.isEmailVerified
      } else if identity.isEmailVerified, user.email == email {
        user.isEmailVerified = true
      }
    }
    user.displayName = user.displayName ?? identity.identity.displayName
    user.photoURL = user.photoURL ?? identity.identity.photoURL
  }
}

extension UserRecord {
  /// Puts the identity in the place of the one it renews, or at the end.
  fileprivate mutating func replaceIdentity(_ identity: ProviderIdentity) {
    let index = identities.firstIndex {
      $0.providerID == identity.providerID && $0.rawID.isSameText(as: identity.rawID)
    }
    if let index { identities[index] = identity } else { identities.append(identity) }
  }
}
