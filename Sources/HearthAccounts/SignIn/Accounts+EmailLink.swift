import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// Signs in with a code that was mailed; makes the account when the address has none.
  ///
  /// - Parameter caller: who wants the proven address added to their account; nil for a sign-in.
  func emailLinkSignIn(
    email: String?, code: String?, caller: Caller?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, isNew: Bool) {
    guard let provider = providers.provider(for: .emailLink) else { throw AccountError(.operationNotAllowed) }
    guard let email else { throw AccountError(.missingEmail) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    let (ticket, hash) = try presentedTicket(code, purposes: [.emailSignIn], now: now)
    let answer = try await ask(
      provider, .emailLink, caller == nil ? .signIn : .link, parameters: ["email": address, "code": code ?? ""],
      client: client, now: now)
    guard case .emailCode(let proof) = answer else { throw AccountError(.operationNotAllowed) }
    guard let issued = ticket.email, issued.isSameText(as: proof.email), proof.email.isSameText(as: address) else {
      try await countFailure(hash, client: client)
      throw AccountError(.invalidEmail, "The email provided does not match the sign-in email address.")
    }
    var new: UserRecord?
    if caller == nil, store.view.user(email: address) == nil {
      guard configuration.allowsSignUp else { throw AccountError(.adminOnlyOperation) }
      try admitSignUp(client, now: now)
      var user = UserRecord(uid: try newUID(), createdAtMilliseconds: now.wallMilliseconds)
      user.email = address
      user.initialEmail = address
      user.isEmailVerified = true
      try await decideCreation(user, provider: "password", client: client)
      new = user
    }
    let creating = new
    let (user, isNew, isTakenOver) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, Bool, Bool) in
      try transaction.useEmailLink(hash, address: address, creating: creating, caller: caller, client: client, now: now)
    }
    if isTakenOver { onRevocation(.user(uid: user.uid), .codeUsed) }
    return (user, isNew)
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

  fileprivate mutating func useEmailLink(
    _ hash: Digest, address: String, creating new: UserRecord?, caller: Caller?, client: ClientInfo, now: Instant
  ) throws(AccountError) -> (UserRecord, isNew: Bool, isTakenOver: Bool) {
    guard let ticket = ticket(hash), ticket.purpose == .emailSignIn else { throw AccountError(.invalidOOBCode) }
    guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    let owner = user(email: address)
    // The address had an account when the code was made, and has another one or none now.
    if let uid = ticket.uid, owner?.uid != uid { throw AccountError(.invalidOOBCode) }
    removeTicket(hash)
    audit(
      AuditEvent(
        .codeUsed, uid: owner?.uid, email: address, client: client, detail: Ticket.Purpose.emailSignIn.rawValue))
    if let caller { return (try addAddress(address, owner: owner, to: caller, client: client), false, false) }
    if var user = owner {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      let isTakenOver = !user.isEmailVerified
      if isTakenOver {
        purge(&user, for: "proven by its mailbox", client: client)
        user.isEmailVerified = true
        try update(user)
      }
      return (user, false, isTakenOver)
    }
    guard let new else { throw AccountError(.invalidOOBCode) }
    let kept = try add(new)
    audit(AuditEvent(.signUp, uid: new.uid, email: address, client: client, detail: "e-mail link"))
    return (kept, true, false)
  }

  private mutating func addAddress(
    _ address: String, owner: UserRecord?, to caller: Caller, client: ClientInfo
  ) throws(AccountError) -> UserRecord {
    guard var user = user(caller.user.uid) else { throw AccountError(.userNotFound) }
    try caller.check(against: user)
    if let owner, owner.uid != user.uid { throw AccountError(.emailExists) }
    // Another address would be a change of address, which has a way of its own.
    if let present = user.email, !present.isSameText(as: address) { throw AccountError(.operationNotAllowed) }
    user.email = address
    user.initialEmail = user.initialEmail ?? address
    user.isEmailVerified = true
    try update(user)
    audit(AuditEvent(.providerLinked, uid: user.uid, email: address, client: client, detail: "e-mail link"))
    return user
  }
}
