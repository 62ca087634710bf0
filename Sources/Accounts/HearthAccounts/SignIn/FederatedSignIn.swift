import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Signs users in, and links their accounts, by the credentials of other providers.
package struct FederatedSignIn: Sendable {
  let context: AccountsContext
  let providers: SignInProviders
  let sessions: Sessions
  let changes: CredentialChangeService
  let hooks: SignInHooks
  private var signUp: SignUp { SignUp(context: context) }

  /// Verifies a credential with its provider.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the provider documents them.
  ///   - isLinking: true when it is to be added to an account, and not to sign in with.
  /// - Throws: the errors of ``SignInProviders/ask(credentialOf:_:parameters:client:now:)``.
  package func presented(
    _ providerID: String, parameters: [String: String], isLinking: Bool, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> PresentedCredential {
    let answer = try await providers.ask(
      credentialOf: providerID, isLinking ? .link : .signIn, parameters: parameters, client: client, now: now)
    switch answer {
    case .identity(let foreign):
      return .identity(FederatedIdentity(providerID: providerID, foreign), parameters: parameters)
    case .user(let named): return .named(named)
    default: throw AccountError(.invalidProviderResponse, "The provider's response has no user id.")
    }
  }

  /// Signs in with another provider's credential: finds the account; a new one is created when the sign-in completes.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the provider documents them.
  ///   - newUID: the uid of a new account; nil generates one.
  /// - Throws: `emailExists` when the address belongs to an account and the provider has not proven it; the errors of
  ///   ``SignInProviders/ask(credentialOf:_:parameters:client:now:)``.
  package func signIn(
    providerID: String, parameters: [String: String], newUID: (@Sendable (ForeignIdentity) -> String)? = nil,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (authenticated: AuthenticatedUser, identity: ForeignIdentity) {
    let presented = try await presented(
      providerID, parameters: parameters, isLinking: false, client: client, now: now)
    guard case .identity(let identity, let parameters) = presented else {
      throw AccountError(.invalidProviderResponse, "The provider's response has no user id.")
    }
    let newUID = newUID?(identity.foreign)
    let outcome = try await user(
      of: identity, parameters: parameters, allowsCreation: true, newUID: newUID, client: client, now: now)
    switch outcome {
    case .user(let authenticated): return (authenticated, identity.foreign)
    case .needsConfirmation: throw AccountError(.emailExists)
    case .needsCreation: throw AccountError(.userNotFound)
    }
  }

  /// Finds or links the account of an identity; a new one is created when the sign-in completes.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the client showed them.
  ///   - newUID: the uid of a new account; nil generates one.
  /// - Throws: `invalidProviderResponse`, `userDisabled`, `emailExists`, `adminOnlyOperation`, `tooManyAttempts`; the
  ///   errors of ``SessionClaims/read(_:)`` for the provider's claims.
  package func user(
    of identity: FederatedIdentity, parameters: [String: String] = [:], allowsCreation: Bool, newUID: String? = nil,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> FederatedOutcome {
    try identity.requireUsable()
    let claims =
      try identity.foreign.attributes.map { json throws(AccountError) in try SessionClaims.read(json) } ?? []
    let signIn = SignInContext(
      identity.identity.providerID, credential: identity.hookCredential(parameters),
      attributes: identity.signInAttributes.map { String(decoding: $0.text(), as: UTF8.self) })
    switch try await resolve(identity, client: client, now: now) {
    case .user(let user): return .user(AuthenticatedUser(user, signIn, claims: claims))
    case .needsConfirmation(let user): return .needsConfirmation(user)
    case .needsCreation where !allowsCreation: return .needsCreation
    case .needsCreation: break
    }
    try signUp.requireAllowed()
    try signUp.admit(client, now: now)
    let claim = addressClaim
    var user = try signUp.newUser(uid: newUID, now: now)
    if claim == .exclusive {
      user.email = identity.email
      user.isEmailVerified = identity.isEmailVerified
    }
    user.displayName = identity.identity.displayName
    user.photoURL = identity.identity.photoURL
    user.identities = [identity.identity]
    return .user(
      AuthenticatedUser(
        user, signIn, claims: claims,
        creation: AccountCreation { (transaction, user) throws(AccountError) in
          guard !transaction.hasOwner(of: identity, claim) else { return nil }
          return try transaction.addNewUser(user, by: signIn.provider, client: client)
        } reidentify: { () async throws(AccountError) in
          guard case .user(let user) = try await resolve(identity, client: client, now: now) else {
            throw AccountError(.emailExists)
          }
          return AuthenticatedUser(user, signIn, claims: claims)
        }))
  }

  /// The relation of an identity's address to the account that it belongs to.
  fileprivate enum AddressClaim: Sendable {
    /// The address identifies the account: the same address at a provider means the same user.
    case exclusive
    /// The address identifies no account; only the identity does.
    case shared
  }

  private var addressClaim: AddressClaim { context.configuration.allowsDuplicateEmails ? .shared : .exclusive }

  /// The account that has an identity or its address.
  fileprivate enum Owner: Sendable {
    case user(UserRecord)
    case needsConfirmation(UserRecord)
    case needsCreation
  }

  private func resolve(
    _ identity: FederatedIdentity, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Owner {
    let (claim, providerID) = (addressClaim, identity.identity.providerID)
    let notice = try changes.notice(.signInMethodAdded, client: client)
    let (owner, joined) = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (Owner, Joined?) in
      try transaction.resolve(identity, claim, reversal: notice.reversal, client: client)
    }
    guard let joined, case .user(let user) = owner else { return owner }
    if joined.isTakenOver {
      context.announce(.user(uid: user.uid), .providerLinked)
    } else {
      changes.notify(notice, of: joined.before, user: user, detail: providerID, client: client, now: now)
    }
    return owner
  }

  /// An account that an identity has joined, because its provider vouches for the address.
  fileprivate struct Joined: Sendable {
    let before: UserRecord
    /// True when the account was purged for the owner of its address.
    let isTakenOver: Bool
  }

  /// Adds an identity to the caller's account, and issues tokens of its provider.
  ///
  /// - Parameters:
  ///   - parameters: the credential's parts, as the client showed them.
  ///   - pending: the ticket that the identity comes from; it is consumed in the same transaction.
  /// - Throws: `federatedUserAlreadyLinked`, `emailExists`, `tokenExpired`, `userDisabled`, `invalidPendingToken`;
  ///   `credentialTooOld` for a session that has not shown the account's second factor; `blockingFunctionError` when a
  ///   hook denies.
  package func link(
    _ identity: FederatedIdentity, parameters: [String: String] = [:], pending: Digest?, to caller: Caller,
    client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    try identity.requireUsable()
    let providerID = identity.identity.providerID
    try changes.require([.providerLinked], of: caller, now: now)
    let decision = try await hooks.decideSignIn(
      caller.user, isNew: false, signIn: SignInContext(providerID, credential: identity.hookCredential(parameters)),
      client: client)
    let claim = addressClaim
    let session = try await sessions.prepare(
      following: caller, provider: providerID, adding: decision.claims, client: client)
    // A hook may change more than the client requested.
    let hookChanges: [CredentialChange] = decision.changes.isEmpty ? [] : [.administered]
    let (user, tokens) = try await changes.change(
      [.providerLinked], of: caller.user.uid, by: .session(caller, .given(session)), with: hookChanges,
      detail: providerID, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      if let pending { try transaction.consumePendingIdentity(pending, now: now) }
      let isRecent = IDTokenAuthenticator(context: context).isRecent(caller, now: now)
      try transaction.link(identity, claim, to: &user, isRecent: isRecent)
      _ = try transaction.apply(decision, to: &user, revokesOnClaimChange: false, client: client)
    }
    guard !user.isDisabled else {
      context.announce(.user(uid: user.uid), .userDisabled)
      throw AccountError(.userDisabled)
    }
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }

  // MARK: Identities that await confirmation

  /// Stores an identity that was not linked, because its address belongs to another account.
  ///
  /// - Returns: the text that stands for it.
  package func storePending(_ identity: FederatedIdentity, now: Instant) async throws(AccountError) -> String {
    let code = try context.secrets.code()
    let nowSeconds = now.wallMilliseconds / 1000
    var ticket = Ticket(
      purpose: .pendingIdentity, uid: nil, email: identity.email, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.pendingIdentity.lifetimeSeconds)
    ticket.details = identity.pendingText
    try await context.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    return code.text
  }

  /// Returns the stored identity of a text, and its ticket.
  ///
  /// - Throws: `invalidPendingToken`.
  package func pending(
    _ text: String, now: Instant
  ) throws(AccountError) -> (identity: FederatedIdentity, ticket: Digest) {
    let hash = Digest(sha256: text.utf8)
    guard let ticket = context.store.view.ticket(hash), ticket.purpose == .pendingIdentity,
      !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000),
      let identity = FederatedIdentity(pending: ticket.details)
    else { throw AccountError(.invalidPendingToken) }
    return (identity, hash)
  }

  /// Consumes the ticket of an identity.
  ///
  /// - Throws: `invalidPendingToken`.
  package func consumePending(_ ticket: Digest, now: Instant) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      try transaction.consumePendingIdentity(ticket, now: now)
    }
  }
}

extension AccountTransaction {
  /// Returns true when an account has the identity, or the address that it claims.
  fileprivate func hasOwner(of identity: FederatedIdentity, _ claim: FederatedSignIn.AddressClaim) -> Bool {
    if user(providerID: identity.identity.providerID, rawID: identity.identity.rawID) != nil { return true }
    return claim == .exclusive && identity.email.map { user(email: $0) != nil } ?? false
  }

  /// - Parameter reversal: the reverting code, stored when the identity joins an account whose address was proven
  ///   before.
  /// - Returns: the owner, and the account that the identity has joined.
  fileprivate mutating func resolve(
    _ identity: FederatedIdentity, _ claim: FederatedSignIn.AddressClaim, reversal: ReversalCode?, client: ClientInfo
  ) throws(AccountError) -> (FederatedSignIn.Owner, FederatedSignIn.Joined?) {
    let providerID = identity.identity.providerID
    if var user = user(providerID: providerID, rawID: identity.identity.rawID) {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      user.replaceIdentity(identity.identity)
      if identity.isEmailVerified, user.email == identity.email { user.isEmailVerified = true }
      try update(user)
      return (.user(user), nil)
    }
    if claim == .exclusive, let email = identity.email, var user = user(email: email) {
      guard identity.isEmailVerified else { return (.needsConfirmation(user), nil) }
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      let (before, isTakenOver) = (user, !user.isEmailVerified)
      if isTakenOver { purge(&user, for: "verified by \(providerID)", client: client) }
      guard !user.identities.contains(where: { $0.providerID == providerID }) else {
        // The account has another identity of the same provider, which must sign in.
        throw AccountError(.emailExists)
      }
      user.identities.append(identity.identity)
      user.isEmailVerified = true
      user.displayName = user.displayName ?? identity.identity.displayName
      user.photoURL = user.photoURL ?? identity.identity.photoURL
      try update(user, as: [.ownerIdentified])
      if !isTakenOver, let reversal { storeReversalCode(reversal, from: user, to: before) }
      audit(AuditEvent(.providerLinked, uid: user.uid, email: email, client: client, detail: providerID))
      return (.user(user), FederatedSignIn.Joined(before: before, isTakenOver: isTakenOver))
    }
    return (.needsCreation, nil)
  }

  fileprivate mutating func consumePendingIdentity(_ hash: Digest, now: Instant) throws(AccountError) {
    guard let ticket = ticket(hash), ticket.purpose == .pendingIdentity,
      !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000)
    else { throw AccountError(.invalidPendingToken) }
    removeTicket(hash)
  }

  /// - Parameter isRecent: true when the session's sign-in is recent. Only then does an account with other credentials
  ///   get an unproven address: a later sign-in that proves the address takes the account over.
  fileprivate func link(
    _ identity: FederatedIdentity, _ claim: FederatedSignIn.AddressClaim, to user: inout UserRecord, isRecent: Bool
  ) throws(AccountError) {
    let providerID = identity.identity.providerID
    // Also refused when the caller's own account has the identity: clients take this error as the confirmation that it is linked.
    let isLinked = self.user(providerID: providerID, rawID: identity.identity.rawID) != nil
    guard !isLinked, !user.identities.contains(where: { $0.providerID == providerID }) else {
      throw AccountError(.federatedUserAlreadyLinked)
    }
    let takesAddress = identity.isEmailVerified || isRecent || user.isAnonymous
    user.identities.append(identity.identity)
    if let email = identity.email {
      if claim == .exclusive, let owner = self.user(email: email), owner.uid != user.uid {
        throw AccountError(.emailExists)
      }
      if claim == .exclusive, user.email == nil, takesAddress {
        user.email = email
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
  /// Replaces the identity with the same id, or appends it.
  fileprivate mutating func replaceIdentity(_ identity: ProviderIdentity) {
    let index = identities.firstIndex {
      $0.providerID == identity.providerID && $0.rawID.isSameText(as: identity.rawID)
    }
    if let index { identities[index] = identity } else { identities.append(identity) }
  }
}
