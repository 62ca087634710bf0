import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Signs people in, and links their accounts, by what another provider says of them.
package struct FederatedSignIn: Sendable {
  private let providers: SignInProviders
  private let store: AccountStore
  private let secrets: SecretGenerator
  private let signUp: SignUp
  private let sessions: Sessions
  private let announce: RevocationHandler

  init(
    providers: SignInProviders, store: AccountStore, secrets: SecretGenerator, signUp: SignUp,
    sessions: Sessions, announce: @escaping RevocationHandler
  ) {
    self.providers = providers
    self.store = store
    self.secrets = secrets
    self.signUp = signUp
    self.sessions = sessions
    self.announce = announce
  }

  /// Shows a credential to the provider that it is of.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the provider documents them.
  ///   - isLinking: whether it is to be added to an account, and not to sign in with.
  /// - Throws: what ``SignInProviders/ask(credentialOf:_:parameters:client:now:)`` throws.
  package func presented(
    _ providerID: String, parameters: [String: String], isLinking: Bool, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> PresentedCredential {
    let answer = try await providers.ask(
      credentialOf: providerID, isLinking ? .link : .signIn, parameters: parameters, client: client, now: now)
    switch answer {
    case .identity(let foreign):
      return .identity(FederatedIdentity(providerID: providerID, foreign), parameters: parameters)
    case .user(let named): return .named(named)
    default: throw AccountError(.invalidProviderResponse, "The provider names no identity.")
    }
  }

  /// Signs in with another provider's credential: finds the account, or makes it.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the provider documents them.
  ///   - newUID: the uid of an account that is made; nil draws one.
  /// - Throws: `emailExists` when the address belongs to an account and the provider has not proven it; what
  ///   ``SignInProviders/ask(credentialOf:_:parameters:client:now:)`` throws.
  package func signIn(
    providerID: String, parameters: [String: String], newUID: (@Sendable (ForeignIdentity) -> String)? = nil,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, identity: ForeignIdentity, isNew: Bool) {
    let presented = try await presented(
      providerID, parameters: parameters, isLinking: false, client: client, now: now)
    guard case .identity(let identity, _) = presented else {
      throw AccountError(.invalidProviderResponse, "The provider names no identity.")
    }
    let newUID = newUID?(identity.foreign)
    switch try await user(of: identity, allowsCreation: true, newUID: newUID, client: client, now: now) {
    case .user(let user, let isNew): return (user, identity.foreign, isNew)
    case .needsConfirmation: throw AccountError(.emailExists)
    case .needsCreation: throw AccountError(.userNotFound)
    }
  }

  /// Finds, links or makes the account of an identity.
  ///
  /// The store is asked first, without leave to make an account; only when it wants to make one are limits and hooks
  /// asked, and then it decides once more on its newest state.
  ///
  /// - Parameter newUID: the uid of an account that is made; nil draws one.
  /// - Throws: `invalidProviderResponse`, `userDisabled`, `emailExists`, `adminOnlyOperation`, `tooManyAttempts`,
  ///   `blockingFunctionError`.
  package func user(
    of identity: FederatedIdentity, allowsCreation: Bool, newUID: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> FederatedOutcome {
    try identity.requireUsable()
    let first = try await resolve(identity, creating: nil, client: client)
    guard case .needsCreation = first, allowsCreation else { return first }
    try signUp.requireAllowed()
    try signUp.admit(client, now: now)
    var user = try signUp.newUser(uid: newUID, now: now)
    user.email = identity.email
    user.initialEmail = identity.email
    user.isEmailVerified = identity.isEmailVerified
    user.displayName = identity.identity.displayName
    user.photoURL = identity.identity.photoURL
    user.identities = [identity.identity]
    try await signUp.decide(user, provider: identity.identity.providerID, client: client)
    return try await resolve(identity, creating: user, client: client)
  }

  private func resolve(
    _ identity: FederatedIdentity, creating new: UserRecord?, client: ClientInfo
  ) async throws(AccountError) -> FederatedOutcome {
    let (outcome, isTakenOver) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (FederatedOutcome, Bool) in
      try transaction.resolve(identity, creating: new, client: client)
    }
    if isTakenOver, case .user(let user, _) = outcome { announce(.user(uid: user.uid), .providerLinked) }
    return outcome
  }

  /// Adds an identity to the account of somebody who is signed in, and lets them go on with tokens of its provider.
  ///
  /// - Parameter pending: the ticket that the identity comes from; it is used up in the same step.
  /// - Throws: `federatedUserAlreadyLinked`, `emailExists`, `tokenExpired`, `userDisabled`, `invalidPendingToken`.
  package func link(
    _ identity: FederatedIdentity, pending: Digest?, to caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    try identity.requireUsable()
    let providerID = identity.identity.providerID
    let user = try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      if let pending { try transaction.takePendingIdentity(pending, now: now) }
      try transaction.link(identity, to: &user)
      try transaction.update(user)
      transaction.audit(
        AuditEvent(.providerLinked, uid: user.uid, email: user.email, client: client, detail: providerID))
      return user
    }
    return (user, try await sessions.resume(caller, as: providerID, client: client, now: now))
  }

  // MARK: Identities that wait for their owner's word

  /// Keeps an identity that was not linked, because its address belongs to somebody.
  ///
  /// - Returns: the text that stands for it.
  package func keepPending(_ identity: FederatedIdentity, now: Instant) async throws(AccountError) -> String {
    let code = try secrets.code()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .pendingIdentity, uid: nil, email: identity.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.pendingIdentity.lifetimeSeconds)
    ticket.details = identity.pendingText
    try await store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    return code.text
  }

  /// The identity that a text stands for, and its ticket.
  ///
  /// - Throws: `invalidPendingToken`.
  package func pending(
    _ text: String, now: Instant
  ) throws(AccountError) -> (identity: FederatedIdentity, ticket: Digest) {
    let hash = Digest(sha256: text.utf8)
    guard let ticket = store.view.ticket(hash), ticket.purpose == .pendingIdentity,
      !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000), let identity = FederatedIdentity(pending: ticket.details)
    else { throw AccountError(.invalidPendingToken) }
    return (identity, hash)
  }

  /// Uses the ticket of an identity up.
  ///
  /// - Throws: `invalidPendingToken`.
  package func usePending(_ ticket: Digest, now: Instant) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      try transaction.takePendingIdentity(ticket, now: now)
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

  fileprivate mutating func takePendingIdentity(_ hash: Digest, now: Instant) throws(AccountError) {
    guard let ticket = ticket(hash), ticket.purpose == .pendingIdentity,
      !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000)
    else { throw AccountError(.invalidPendingToken) }
    removeTicket(hash)
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
