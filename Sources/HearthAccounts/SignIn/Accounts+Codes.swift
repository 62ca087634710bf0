import HearthCrypto
import HearthEngine
import HearthPlugin

extension Accounts {
  /// How long a code that is to be mailed waits: until its answer is gone.
  static let codeDelayMilliseconds: Int64 = 20

  /// Mails the link of a new code; see ``makeCode(_:email:asker:newEmail:continueURL:apiKey:isMailed:client:now:)``.
  ///
  /// Nothing of it happens before the answer: with an account there is a code to keep and a mail to write, without one
  /// there is not, and the time of the answer would tell. Only an emulator's test suites, which ask for the code at once,
  /// wait for it.
  ///
  /// - Throws: ``AccountError/Code/operationNotAllowed`` when there is no mailer; a limit's code;
  ///   ``AccountError/Code/unavailable`` when no code can be kept now.
  package func mailCode(
    _ purpose: Ticket.Purpose, email: String, asker: Caller? = nil, newEmail: String? = nil,
    continueURL: String? = nil, apiKey: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) {
    // An emulator shows the code to whoever asks for it.
    guard mails.canSend || emulation != nil else {
      throw AccountError(.operationNotAllowed, "No mail can be sent from here.")
    }
    let to = purpose == .verifyAndChangeEmail ? newEmail ?? email : email
    let isReset = purpose == .resetPassword
    guard throttle.admitMail(to: to, isReset: isReset, address: client.address, now: now) else {
      throw AccountError(isReset ? .resetLimit : .quotaExceeded, "Too many mails. Try again later.")
    }
    let make: @Sendable () async throws(AccountError) -> Void = { [self] () async throws(AccountError) in
      _ = try await makeCode(
        purpose, email: email, asker: asker, newEmail: newEmail, continueURL: continueURL, apiKey: apiKey,
        isMailed: true, client: client, now: now)
    }
    if configuration.isEmulator { return try await make() }
    guard store.status == .running else { throw AccountError(.unavailable) }
    let isTaken = codes.add { [environment] in
      do throws(AccountError) {
        try await make()
      } catch {
        environment.notice(
          AccountsNotice(.error, "a code (\(purpose.rawValue)) could not be mailed: \(error.code.rawValue)"))
      }
    }
    guard isTaken else { throw AccountError(.unavailable) }
  }

  /// Makes a code. Without an account, unless an e-mail sign-in may make one, the code that comes back leads nowhere and
  /// nothing is mailed.
  ///
  /// - Parameters:
  ///   - email: the account's address; for an e-mail sign-in any address. In canonical form.
  ///   - asker: who is signed in and asks; it has to be their address still, and their sign-in has to count still. nil for
  ///     whoever has the address.
  ///   - newEmail: for a change of address, in canonical form.
  ///   - continueURL: checked by ``isAllowedContinueURL(_:)``.
  ///   - isMailed: false for an administrator who passes the link on.
  package func makeCode(
    _ purpose: Ticket.Purpose, email: String, asker: Caller? = nil, newEmail: String? = nil,
    continueURL: String? = nil, apiKey: String? = nil, isMailed: Bool, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> ActionLink {
    let code = try newCode()
    let link = actionLink(purpose, code, continueURL: continueURL, apiKey: apiKey, locale: client.locale)
    let shown = shownCode(code, link)
    let nowSeconds = now.wallMilliseconds / 1000
    let makesUser = purpose == .emailSignIn && configuration.allowsSignUp
    let user = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord? in
      let found = transaction.user(email: email)
      // By now it may be somebody else's, or what the asker showed may have ended.
      let user = found.flatMap { asker?.stands(for: $0) ?? true ? $0 : nil }
      transaction.audit(
        AuditEvent(
          purpose == .resetPassword ? .resetRequested : .codeIssued, uid: user?.uid, email: email, client: client,
          detail: purpose.rawValue))
      guard user != nil || makesUser else { return nil }
      var ticket = Ticket(
        purpose: purpose, uid: user?.uid, email: email, createdAtSeconds: nowSeconds,
        expiresAtSeconds: nowSeconds + purpose.lifetimeSeconds)
      ticket.newEmail = newEmail
      ticket.details = shown
      transaction.putTicket(code.hash, ticket)
      return user
    }
    if isMailed, user != nil || makesUser {
      let to = purpose == .verifyAndChangeEmail ? newEmail ?? email : email
      mails.send(MailText(purpose, to: to, user: user, newEmail: newEmail, link: link).message(configuration))
    }
    return ActionLink(link: link, code: code.text)
  }

  func newCode() throws(AccountError) -> NewCode { NewCode(text: try newSecretText()) }

  /// The link under which a code is used. Its origin is the configured one, whatever the request said.
  func actionLink(
    _ purpose: Ticket.Purpose, _ code: NewCode, continueURL: String? = nil, apiKey: String? = nil, locale: String? = nil
  ) -> String {
    let path = configuration.isEmulator ? "/emulator/action" : "/__/auth/action"
    let key = apiKey ?? configuration.apiKeys?.min() ?? "any"
    var query = [("mode", purpose.linkMode ?? ""), ("oobCode", code.text), ("apiKey", key)]
    query.append(("lang", locale.flatMap { Self.isLanguageTag($0) ? $0 : nil } ?? "en"))
    if let continueURL { query.append(("continueUrl", continueURL)) }
    return configuration.publicOrigin + path + "?"
      + query.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
  }

  private static func isLanguageTag(_ text: String) -> Bool {
    (1...35).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// A mere notice to the user's address. Who owns it is told in any case; one that is not proven may be a stranger's, who
  /// is not to be flooded with somebody's doings.
  func tell(_ kind: MailMessage.Kind, _ user: UserRecord, client: ClientInfo, now: Instant) {
    guard mails.canSend, let email = user.email else { return }
    guard user.isEmailVerified || throttle.admitMail(to: email, address: client.address, now: now) else { return }
    mails.send(MailText(kind, to: email, user: user, newEmail: nil, link: nil).message(configuration))
  }

  // MARK: Using codes

  /// The ticket behind a code, ended ones included; nil when there is none. Changes nothing.
  public func inspectCode(_ code: String, now: Instant) -> Ticket? {
    guard let ticket = store.view.ticket(Digest(sha256: code.utf8)), ticket.purpose.linkMode != nil else { return nil }
    return ticket
  }

  /// Uses a code up and does what it is for.
  ///
  /// - Parameters:
  ///   - purposes: those that the door takes; others are left unused.
  ///   - newPassword: for a reset.
  /// - Throws: `invalidOOBCode`, `expiredCode`; `userDisabled`; for a reset what the password policy says.
  @discardableResult
  public func useCode(
    _ code: String?,
    purposes: Set<Ticket.Purpose> = [.resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail],
    newPassword: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> CodeUse {
    let (ticket, hash) = try presentedTicket(code, purposes: purposes, now: now)
    switch ticket.purpose {
    case .resetPassword:
      guard let newPassword else { throw AccountError(.missingPassword) }
      return try await resetPassword(ticket, hash, to: newPassword, client: client, now: now)
    case .verifyEmail: return try await verifyEmail(hash, client: client, now: now)
    case .verifyAndChangeEmail: return try await changeEmail(ticket, hash, client: client, now: now)
    case .recoverEmail: return try await recoverEmail(ticket, hash, client: client, now: now)
    default: throw AccountError(.invalidOOBCode)
    }
  }

  /// A first look at a code, before work is put into it. Whoever uses it up looks again, in one step with the effect.
  package func presentedTicket(
    _ code: String?, purposes: Set<Ticket.Purpose>, now: Instant
  ) throws(AccountError) -> (Ticket, Digest) {
    guard let code, !code.isEmpty else { throw AccountError(.missingOOBCode) }
    let hash = Digest(sha256: code.utf8)
    guard let ticket = store.view.ticket(hash), purposes.contains(ticket.purpose) else {
      throw AccountError(.invalidOOBCode)
    }
    guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    if let uid = ticket.uid, store.view.user(uid)?.isDisabled == true { throw AccountError(.userDisabled) }
    return (ticket, hash)
  }

  private func resetPassword(
    _ ticket: Ticket, _ hash: Digest, to password: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> CodeUse {
    guard providers.provider(for: .password) != nil, let uid = ticket.uid else {
      throw AccountError(.passwordLoginDisabled)
    }
    let stored = try await hashedPassword(
      password, email: ticket.email, operation: .change, client: client, now: now)
    let current = store.view.user(uid)
    let dropsIdentities = configuration.resetDropsIdentities
    let isTakenOver = current?.isEmailVerified == false
    let providerIDs = current?.identities.map(\.providerID) ?? []
    let detail = "\(dropsIdentities || isTakenOver ? "removed" : "kept"): \(providerIDs.joined(separator: " "))"
    let user = try await changeCredentials(
      of: uid, caller: nil, event: .resetDone, detail: providerIDs.isEmpty ? nil : detail, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try transaction.takeTicket(hash, purpose: .resetPassword, user: user, now: now)
      transaction.removeTickets(of: uid, purposes: .endedByChange)
      user.password = stored
      user.hasTemporaryPassword = false
      // The code came out of that mailbox. Until now nobody had proven the address: whoever made the account may be
      // somebody else, who is not to come in by another provider.
      if dropsIdentities || !user.isEmailVerified { user.identities = [] }
      user.isEmailVerified = true
    }.user
    // Whoever has guessed at the old password, its owner is not to wait for it.
    if let email = user.email { throttle.forgetFailures(account: email) }
    tell(.passwordChanged, user, client: client, now: now)
    return CodeUse(purpose: .resetPassword, user: user)
  }

  private func verifyEmail(
    _ hash: Digest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> CodeUse {
    let user = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard let ticket = transaction.ticket(hash), let uid = ticket.uid, var user = transaction.user(uid) else {
        throw AccountError(.invalidOOBCode)
      }
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      try transaction.takeTicket(hash, purpose: .verifyEmail, user: user, now: now)
      user.isEmailVerified = true
      try transaction.update(user)
      transaction.audit(
        AuditEvent(.codeUsed, uid: uid, email: user.email, client: client, detail: Ticket.Purpose.verifyEmail.rawValue))
      return user
    }
    return CodeUse(purpose: .verifyEmail, user: user)
  }

  private func changeEmail(
    _ ticket: Ticket, _ hash: Digest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> CodeUse {
    guard let uid = ticket.uid, let address = ticket.newEmail else { throw AccountError(.invalidOOBCode) }
    let recovery = try newRecovery(client)
    let user: UserRecord
    do {
      user = try await changeCredentials(of: uid, caller: nil, event: .emailChanged, client: client, now: now) {
        (transaction, user) throws(AccountError) in
        guard !user.isDisabled else { throw AccountError(.userDisabled) }
        try transaction.takeTicket(hash, purpose: .verifyAndChangeEmail, user: user, now: now)
        try Self.moveAddress(of: &user, to: address, isVerified: true, recovery: recovery, in: &transaction, now: now)
      }.user
    } catch {
      // Somebody has the address by now. The code is used up all the same, or it would lie in wait for it.
      if error.code == .emailExists { try await useUp(hash, of: uid, client: client) }
      throw error
    }
    mailRecovery(recovery, to: user, from: address, client: client, now: now)
    return CodeUse(purpose: .verifyAndChangeEmail, user: user)
  }

  private func useUp(_ hash: Digest, of uid: String, client: ClientInfo) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let ticket = transaction.ticket(hash), ticket.uid == uid else { return }
      transaction.removeTicket(hash)
      transaction.audit(
        AuditEvent(.codeFailed, uid: uid, email: ticket.email, client: client, detail: ticket.purpose.rawValue))
    }
  }

  /// Gives an account back the address that was taken from it.
  private func recoverEmail(
    _ ticket: Ticket, _ hash: Digest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> CodeUse {
    guard let uid = ticket.uid, let address = ticket.email else { throw AccountError(.invalidOOBCode) }
    let user = try await changeCredentials(
      of: uid, caller: nil, event: .emailChanged, detail: "recovered", client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard let ticket = transaction.ticket(hash), ticket.purpose == .recoverEmail, ticket.uid == uid else {
        throw AccountError(.invalidOOBCode)
      }
      if let owner = transaction.user(email: address), owner.uid != uid { throw AccountError(.emailExists) }
      user.email = address
      user.isEmailVerified = true
      transaction.removeTickets(of: uid, purposes: .endedByChange)
      // Codes to addresses that the account had later fall with them; those to earlier ones stay good.
      for (later, other) in transaction.tickets(of: uid) where other.createdAtSeconds >= ticket.createdAtSeconds {
        transaction.removeTicket(later)
      }
    }.user
    return CodeUse(purpose: .recoverEmail, user: user)
  }
}

extension AccountTransaction {
  /// Uses a ticket up, or refuses: of many who come with the same code one gets it.
  mutating func takeTicket(
    _ hash: Digest, purpose: Ticket.Purpose, user: UserRecord?, now: Instant
  ) throws(AccountError) {
    guard let ticket = ticket(hash), ticket.purpose == purpose, ticket.uid == user?.uid else {
      throw AccountError(.invalidOOBCode)
    }
    guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    // A code proves the address that it was sent to, and nothing about another.
    if let user {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard let email = user.email, let issued = ticket.email, email.isSameText(as: issued) else {
        throw AccountError(.invalidOOBCode)
      }
    }
    removeTicket(hash)
  }
}
