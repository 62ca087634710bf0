import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Creates, mails and verifies codes. Their effects are in ``CodeRedemption`` and ``EmailLinkSignIn``.
package struct ActionCodes: Sendable {
  let context: AccountsContext
  /// The links that carry the codes, and the rules for their continue URLs.
  package var links: ActionLinks { ActionLinks(context: context) }

  /// A request for a code.
  package struct CodeRequest: Sendable {
    /// The purpose of the code.
    package let purpose: Ticket.Purpose
    /// The account's address; for an e-mail sign-in any address. In canonical form.
    package let email: String
    /// The origin of the request.
    package var requester = Requester.client
    /// The new address of a change, in canonical form.
    package var newEmail: String?
    /// The URL to continue at, checked by ``ActionLinks/checkContinueURL(_:)``.
    package var continueURL: String?
    /// The origin of the link, made by ``ActionLinks/origin(linkDomain:)``; nil for the configured one.
    package var linkOrigin: String?
    /// True when the link should open an installed app.
    package var opensApp = false
    /// The API key that the client named; the link repeats it.
    package var apiKey: String?
    /// The requesting client.
    package let client: ClientInfo

    /// The origin of a request for a code.
    package enum Requester: Sendable {
      /// A signed-out client: the code is for the account that has the address.
      case client
      /// A signed-in user. The address must still be theirs and their session valid when the code is created.
      case session(Caller)
      /// An administrator: the code is for the account that has the address.
      case administrator(Administrator)
    }

    /// Creates a request with the required values only.
    package init(_ purpose: Ticket.Purpose, email: String, client: ClientInfo) {
      self.purpose = purpose
      self.email = email
      self.client = client
    }

    /// The recipient of the mail.
    fileprivate var recipient: String { purpose == .verifyAndChangeEmail ? newEmail ?? email : email }

    /// Returns false when the account is no longer that of the signed-in user who requests the code.
    fileprivate func isValid(for user: UserRecord) -> Bool {
      if case .session(let caller) = requester { caller.isValid(for: user) } else { true }
    }

    /// Checks that the code may be created for an account. A code that does not go to the account's own address gives
    /// an administrator access to it: see ``Administrator/requireMayChange(_:to:consoleClaim:)``.
    ///
    /// - Throws: `insufficientPermission`.
    fileprivate func check(for user: UserRecord, isMailed: Bool, consoleClaim: String?) throws(AccountError) {
      guard case .administrator(let administrator) = requester, !isMailed || recipient != email else { return }
      try administrator.requireMayChange(user, to: user, consoleClaim: consoleClaim)
    }
  }

  /// Mails the link of a new code.
  ///
  /// The work is done after the response: only an existing account causes a stored code and a mail, and the response
  /// time would reveal it. Only an emulator's test suites, which read the code at once, wait for it.
  ///
  /// - Throws: `operationNotAllowed` without a mailer; `resetLimit` or `quotaExceeded` above the limits; `unavailable`
  ///   when no code can be stored now.
  package func send(_ request: CodeRequest, now: Instant) async throws(AccountError) {
    // For a client no account may be looked up here: the response time would reveal it.
    if case .administrator = request.requester, let user = context.store.view.user(email: request.email) {
      try request.check(for: user, isMailed: true, consoleClaim: context.configuration.consoleClaim)
    }
    // An emulator shows the code to every program of its machine.
    guard context.mails.canSend || context.settings.isEmulator else {
      throw AccountError(
        .operationNotAllowed, "This server cannot send mail: configure mail in the file of --auth-config.")
    }
    let isReset = request.purpose == .resetPassword
    let part = MailCategory(request.purpose)
    guard context.throttle.admitMail(to: request.recipient, part, address: request.client.address, now: now) else {
      throw AccountError(isReset ? .resetLimit : .quotaExceeded, "Too many mails. Try again later.")
    }
    if context.settings.isEmulator {
      _ = try await make(request, isMailed: true, now: now)
      return
    }
    guard context.store.status == .running else { throw AccountError(.unavailable) }
    let isTaken = context.codeQueue.add {
      do throws(AccountError) {
        _ = try await make(request, isMailed: true, now: now)
      } catch {
        context.server.environment.notice(
          AccountsNotice(
            .error, "a code (\(request.purpose.rawValue)) could not be mailed: \(error.code.rawValue)"))
      }
    }
    guard isTaken else { throw AccountError(.unavailable) }
  }

  /// Creates a code. When the account does not exist and the purpose is not an e-mail sign-in that may create it, the
  /// returned code is not stored, so it is never valid, and nothing is mailed.
  ///
  /// - Parameter isMailed: false for an administrator who passes the link on.
  package func make(_ request: CodeRequest, isMailed: Bool, now: Instant) async throws(AccountError) -> ActionLink {
    let (purpose, email, client) = (request.purpose, request.email, request.client)
    let code = try context.secrets.code()
    let link = links.link(
      purpose, code, origin: request.linkOrigin, opensApp: request.opensApp, continueURL: request.continueURL,
      apiKey: request.apiKey, locale: client.locale)
    let shown = shown(code, link)
    let nowSeconds = now.wallMilliseconds / 1000
    let makesUser = purpose == .emailSignIn && context.configuration.allowsSignUp
    let user = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord? in
      let found = transaction.user(email: email)
      // By now the address may belong to another account, or the requester's session may have ended.
      let user = found.flatMap { request.isValid(for: $0) ? $0 : nil }
      if let user { try request.check(for: user, isMailed: isMailed, consoleClaim: context.configuration.consoleClaim) }
      transaction.audit(
        AuditEvent(
          purpose == .resetPassword ? .resetRequested : .codeIssued, uid: user?.uid, email: email, client: client,
          detail: purpose.rawValue))
      guard user != nil || makesUser else { return nil }
      var ticket = Ticket(
        purpose: purpose, uid: user?.uid, email: email, createdAtSeconds: nowSeconds,
        expiresAtSeconds: nowSeconds + purpose.lifetimeSeconds)
      ticket.newEmail = request.newEmail
      ticket.details = shown
      transaction.putTicket(code.hash, ticket)
      return user
    }
    if isMailed, user != nil || makesUser {
      context.mails.send(purpose, to: request.recipient, user: user, newEmail: request.newEmail, link: link)
    }
    return ActionLink(link: link, code: code.text)
  }

  /// True when mails can be sent.
  var canSend: Bool { context.mails.canSend }
  var isEmulator: Bool { context.settings.isEmulator }

  /// Generates a code.
  func newCode() throws(AccountError) -> NewCode { try context.secrets.code() }

  /// The text that an emulator stores with a ticket for test suites to read; nil on every other server.
  func shown(_ code: NewCode, _ link: String) -> String? {
    guard let emulation = context.emulation else { return nil }
    let order = emulation.nextOrder(nowMilliseconds: context.server.environment.clock().wallMilliseconds)
    let details = JSON.object([
      JSON.Member("oobCode", .string(code.text)), JSON.Member("oobLink", .string(link)),
      JSON.Member("order", .int(order)),
    ])
    return String(decoding: details.text(), as: UTF8.self)
  }

  // MARK: Reading codes

  /// Returns the ticket of a code, also an expired one; nil when there is none. Changes nothing.
  package func inspect(_ code: String) -> Ticket? {
    guard let ticket = context.store.view.ticket(Digest(sha256: code.utf8)), ticket.purpose.linkMode != nil else {
      return nil
    }
    return ticket
  }

  /// Checks a code before costly work such as hashing. The transaction that consumes the code checks it again.
  ///
  /// - Parameter purposes: the accepted purposes; other codes are left unused.
  /// - Throws: `missingOOBCode`, `invalidOOBCode`, `expiredCode`, `userDisabled`.
  package func presented(
    _ code: String?, purposes: Set<Ticket.Purpose>, now: Instant
  ) throws(AccountError) -> (ticket: Ticket, hash: Digest) {
    guard let code, !code.isEmpty else { throw AccountError(.missingOOBCode) }
    let hash = Digest(sha256: code.utf8)
    guard let ticket = context.store.view.ticket(hash), purposes.contains(ticket.purpose) else {
      throw AccountError(.invalidOOBCode)
    }
    guard !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    if let uid = ticket.uid, context.store.view.user(uid)?.isDisabled == true { throw AccountError(.userDisabled) }
    return (ticket, hash)
  }
}
