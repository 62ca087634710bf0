import HearthCrypto
import HearthEngine
import HearthPlugin

/// Signs users in, and links their accounts, by a code that was mailed to their address.
package struct EmailLinkSignIn: Sendable {
  let context: AccountsContext
  let providers: SignInProviders
  let sessions: Sessions
  let changes: CredentialChangeService
  private var codes: ActionCodes { ActionCodes(context: context) }
  private var signUp: SignUp { SignUp(context: context) }
  private var addresses: AddressChanges { AddressChanges(changes: changes) }

  /// Signs in with a code that was mailed; an address without an account gets one with the session.
  ///
  /// - Throws: `operationNotAllowed`, `missingEmail`, `invalidEmail`, `missingOOBCode`, `invalidOOBCode`,
  ///   `expiredCode`, `userDisabled`, `adminOnlyOperation`, `tooManyAttempts`.
  package func signIn(
    email: String?, code: String?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> AuthenticatedUser {
    let (address, hash) = try await provenAddress(email, code: code, .signIn, client: client, now: now)
    if context.store.view.user(email: address) == nil {
      try signUp.requireAllowed()
      try signUp.admit(client, now: now)
      var user = try signUp.newUser(now: now)
      user.email = address
      user.isEmailVerified = true
      user.hasEmailLink = true
      return AuthenticatedUser(
        user, .emailLink,
        creation: AccountCreation { (transaction, user) throws(AccountError) in
          guard transaction.user(email: address) == nil else { return nil }
          _ = try transaction.consumeEmailLink(hash, address: address, client: client, now: now)
          return try transaction.addNewUser(user, by: "e-mail link", client: client)
        } reidentify: { () async throws(AccountError) in
          try await useLink(hash, address: address, client: client, now: now)
        })
    }
    return try await useLink(hash, address: address, client: client, now: now)
  }

  /// Consumes the code of a mailed link for the account with the address.
  private func useLink(
    _ hash: Digest, address: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> AuthenticatedUser {
    let (user, isTakenOver) = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (UserRecord, Bool) in
      try transaction.useEmailLink(hash, address: address, client: client, now: now)
    }
    if isTakenOver { context.announce(.user(uid: user.uid), .codeUsed) }
    return AuthenticatedUser(user, .emailLink)
  }

  /// Adds the address that a mailed code proves to the signed-in account, and replaces its present one. The sign-in time of the new
  /// tokens is that of the caller's sign-in, or of the change of address.
  ///
  /// - Throws: `emailExists` for another account's address; the errors of ``signIn(email:code:client:now:)`` and
  ///   ``AddressChanges/replace(of:with:isVerified:session:method:client:now:change:)``.
  package func link(
    email: String?, code: String?, to caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple) {
    let (address, hash) = try await provenAddress(email, code: code, .link, client: client, now: now)
    let session = try await sessions.prepare(following: caller, provider: ProviderID.password, client: client)
    if let present = caller.user.email, !present.isSameText(as: address) {
      return try await addresses.replace(
        of: caller, with: address, isVerified: true, session: session, method: "e-mail link", client: client, now: now
      ) { (transaction, user) throws(AccountError) in
        _ = try transaction.consumeEmailLink(hash, address: address, client: client, now: now)
        user.hasEmailLink = true
      }
    }
    let (user, tokens) = try await changes.change(
      [.addressLinked], of: caller.user.uid, by: .session(caller, .given(session)), detail: "e-mail link",
      client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try transaction.addEmailLink(hash, address: address, to: &user, client: client, now: now)
    }
    guard let tokens else { throw AccountError(.internalError) }
    return (user, tokens)
  }

  /// Returns the address that a mailed code proves, and its ticket, which is not consumed.
  private func provenAddress(
    _ email: String?, code: String?, _ operation: SignInRequest.Operation, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (address: String, ticket: Digest) {
    guard providers.serves(.emailLink) else { throw AccountError(.operationNotAllowed) }
    guard let email else { throw AccountError(.missingEmail) }
    guard let address = EmailAddress.canonical(email) else { throw AccountError(.invalidEmail) }
    let (ticket, hash) = try codes.presented(code, purposes: [.emailSignIn], now: now)
    let answer = try await providers.ask(
      .emailLink, operation, parameters: ["email": address, "code": code ?? ""], otherwise: .operationNotAllowed,
      client: client, now: now)
    guard case .emailCode(let proof) = answer else { throw AccountError(.operationNotAllowed) }
    guard let issued = ticket.email, issued.isSameText(as: proof.email), proof.email.isSameText(as: address) else {
      try await countFailure(hash, client: client)
      throw AccountError(.invalidEmail, "The email provided does not match the sign-in email address.")
    }
    return (address, hash)
  }

  /// Counts a code that was shown with the wrong address, as a guess. After some guesses it is invalid.
  private func countFailure(_ hash: Digest, client: ClientInfo) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.countFailedAttempt(hash)
      transaction.audit(AuditEvent(.codeFailed, client: client, detail: Ticket.Purpose.emailSignIn.rawValue))
    }
  }
}

extension AccountTransaction {
  /// Consumes the ticket of a mailed link.
  ///
  /// - Returns: the account with the address; nil when there is none.
  fileprivate mutating func consumeEmailLink(
    _ hash: Digest, address: String, client: ClientInfo, now: Instant
  ) throws(AccountError) -> UserRecord? {
    guard let ticket = ticket(hash), ticket.purpose == .emailSignIn else { throw AccountError(.invalidOOBCode) }
    guard !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    let owner = user(email: address)
    // The address had an account when the code was created, and has another one or none now.
    if let uid = ticket.uid, owner?.uid != uid { throw AccountError(.invalidOOBCode) }
    removeTicket(hash)
    audit(
      AuditEvent(
        .codeUsed, uid: owner?.uid, email: address, client: client, detail: Ticket.Purpose.emailSignIn.rawValue))
    return owner
  }

  fileprivate mutating func useEmailLink(
    _ hash: Digest, address: String, client: ClientInfo, now: Instant
  ) throws(AccountError) -> (UserRecord, isTakenOver: Bool) {
    guard var user = try consumeEmailLink(hash, address: address, client: client, now: now) else {
      throw AccountError(.invalidOOBCode)
    }
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    let isTakenOver = !user.isEmailVerified
    if isTakenOver {
      purge(&user, for: "proven by its mailbox", client: client)
      user.isEmailVerified = true
    }
    user.hasEmailLink = true
    try update(user, as: [.ownerIdentified])
    return (user, isTakenOver)
  }

  /// Adds the mailed link to an account that has this address already, or none.
  fileprivate mutating func addEmailLink(
    _ hash: Digest, address: String, to user: inout UserRecord, client: ClientInfo, now: Instant
  ) throws(AccountError) {
    let owner = try consumeEmailLink(hash, address: address, client: client, now: now)
    if let owner, owner.uid != user.uid { throw AccountError(.emailExists) }
    // The account got another address meanwhile.
    if let present = user.email, !present.isSameText(as: address) { throw AccountError(.operationNotAllowed) }
    user.email = address
    user.isEmailVerified = true
    user.hasEmailLink = true
  }
}
