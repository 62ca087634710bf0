import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// Signs in with a code that was mailed; makes the account when the address has none.
  package func emailLinkSignIn(
    email: String?, code: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, isNew: Bool) {
    let (address, hash) = try await provenAddress(email, code: code, .signIn, client: client, now: now)
    var new: UserRecord?
    if store.view.user(email: address) == nil {
      guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
      try admitSignUp(client, now: now)
      var user = UserRecord(uid: try newUID(), createdAtMilliseconds: now.wallMilliseconds)
      user.email = address
      user.initialEmail = address
      user.isEmailVerified = true
      user.hasEmailLink = true
      try await decideCreation(user, provider: "password", client: client)
      new = user
    }
    let creating = new
    let (user, isNew, isTakenOver) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, Bool, Bool) in
      try transaction.useEmailLink(hash, address: address, creating: creating, client: client, now: now)
    }
    if isTakenOver { onRevocation(.user(uid: user.uid), .codeUsed) }
    return (user, isNew)
  }

  /// Adds the address that a mailed code proves to the account of who is signed in; in the place of the one that the
  /// account has. The tokens are as old as the caller's sign-in, or as the change of address.
  ///
  /// - Throws: `emailExists` for somebody else's address; what ``replaceAddress`` throws.
  package func linkEmailLink(
    email: String?, code: String?, to caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let (address, hash) = try await provenAddress(email, code: code, .link, client: client, now: now)
    if let present = caller.user.email, !present.isSameText(as: address) {
      let session = try newSession(
        uid: caller.user.uid, provider: "password", claims: sessionClaims(of: caller),
        secondFactor: caller.secondFactor, client: client)
      return try await replaceAddress(
        of: caller, with: address, isVerified: true, session: session, way: "e-mail link", client: client, now: now
      ) { (transaction, user) throws(AccountError) in
        _ = try transaction.takeEmailLink(hash, address: address, client: client, now: now)
        user.hasEmailLink = true
      }
    }
    let user = try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      try transaction.addEmailLink(hash, address: address, to: caller, client: client, now: now)
    }
    return (user, try await continueSession(caller, as: "password", user: user, client: client, now: now))
  }

  /// The address that a mailed code proves, and the ticket behind it, which is not used up by this.
  private func provenAddress(
    _ email: String?, code: String?, _ operation: SignInRequest.Operation, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (address: String, ticket: Digest) {
    guard let provider = providers.provider(for: .emailLink) else { throw AccountError(.operationNotAllowed) }
    guard let email else { throw AccountError(.missingEmail) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    let (ticket, hash) = try presentedTicket(code, purposes: [.emailSignIn], now: now)
    let answer = try await ask(
      provider, .emailLink, operation, parameters: ["email": address, "code": code ?? ""], client: client, now: now)
    guard case .emailCode(let proof) = answer else { throw AccountError(.operationNotAllowed) }
    guard let issued = ticket.email, issued.isSameText(as: proof.email), proof.email.isSameText(as: address) else {
      try await countFailure(hash, client: client)
      throw AccountError(.invalidEmail, "The email provided does not match the sign-in email address.")
    }
    return (address, hash)
  }

  /// A code that was shown with the wrong address: somebody tries. After some tries it is dead.
  private func countFailure(_ hash: Digest, client: ClientInfo) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.countFailedTry(hash)
      transaction.audit(AuditEvent(.codeFailed, client: client, detail: Ticket.Purpose.emailSignIn.rawValue))
    }
  }
}

extension AccountTransaction {
  /// Counts a wrong try; after the last one the ticket is gone.
  mutating func countFailedTry(_ hash: Digest) {
    guard var ticket = ticket(hash) else { return }
    ticket.failedTries += 1
    if ticket.failedTries >= Ticket.failedTriesMax { removeTicket(hash) } else { putTicket(hash, ticket) }
  }

  /// Uses the ticket of a mailed link up.
  ///
  /// - Returns: whose the address is.
  fileprivate mutating func takeEmailLink(
    _ hash: Digest, address: String, client: ClientInfo, now: Instant
  ) throws(AccountError) -> UserRecord? {
    guard let ticket = ticket(hash), ticket.purpose == .emailSignIn else { throw AccountError(.invalidOOBCode) }
    guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    let owner = user(email: address)
    // The address had an account when the code was made, and has another one or none now.
    if let uid = ticket.uid, owner?.uid != uid { throw AccountError(.invalidOOBCode) }
    removeTicket(hash)
    audit(
      AuditEvent(
        .codeUsed, uid: owner?.uid, email: address, client: client, detail: Ticket.Purpose.emailSignIn.rawValue))
    return owner
  }

  fileprivate mutating func useEmailLink(
    _ hash: Digest, address: String, creating new: UserRecord?, client: ClientInfo, now: Instant
  ) throws(AccountError) -> (UserRecord, isNew: Bool, isTakenOver: Bool) {
    if var user = try takeEmailLink(hash, address: address, client: client, now: now) {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      let isTakenOver = !user.isEmailVerified
      if isTakenOver {
        purge(&user, for: "proven by its mailbox", client: client)
        user.isEmailVerified = true
      }
      user.hasEmailLink = true
      try update(user)
      return (user, false, isTakenOver)
    }
    guard let new else { throw AccountError(.invalidOOBCode) }
    let kept = try add(new)
    audit(AuditEvent(.signUp, uid: new.uid, email: address, client: client, detail: "e-mail link"))
    return (kept, true, false)
  }

  /// For an account that has this address already, or none.
  fileprivate mutating func addEmailLink(
    _ hash: Digest, address: String, to caller: Caller, client: ClientInfo, now: Instant
  ) throws(AccountError) -> UserRecord {
    let owner = try takeEmailLink(hash, address: address, client: client, now: now)
    guard var user = user(caller.user.uid) else { throw AccountError(.userNotFound) }
    try caller.check(against: user)
    if let owner, owner.uid != user.uid { throw AccountError(.emailExists) }
    // It got another one meanwhile.
    if let present = user.email, !present.isSameText(as: address) { throw AccountError(.operationNotAllowed) }
    user.email = address
    user.initialEmail = user.initialEmail ?? address
    user.isEmailVerified = true
    user.hasEmailLink = true
    try update(user)
    audit(AuditEvent(.providerLinked, uid: user.uid, email: address, client: client, detail: "e-mail link"))
    return user
  }
}
