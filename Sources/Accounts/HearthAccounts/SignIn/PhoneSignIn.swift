import HearthCrypto
import HearthEngine

/// The proof of a phone number that a client shows.
package enum PhoneProof: Sendable, Redacted {
  /// A code that was sent, and the session text of its sending.
  case code(sessionInfo: String, code: String)
  /// The proof from an earlier code, for a number that belongs to another account.
  case earlier(phoneNumber: String, text: String)

  var isEarlier: Bool { if case .earlier = self { true } else { false } }
}

/// The result of proving a phone number.
package enum PhoneOutcome: Sendable {
  /// The user is signed in, or must show their second factor.
  case step(SecondFactors.Step)
  /// The number belongs to another account: the client may sign in to that account with this text.
  case taken(proof: String)
}

/// Sign-in with a phone number, by a code that is sent to it.
package struct PhoneSignIn: Sendable {
  /// The lifetime of a proof for another account's number.
  package static let proofLifetimeSeconds = Ticket.Purpose.phoneProof.lifetimeSeconds

  let context: AccountsContext
  let sessions: Sessions
  let secondFactors: SecondFactors
  let changes: CredentialChangeService
  let codes: PhoneCodes
  private var signUp: SignUp { SignUp(context: context) }

  /// Refuses where sign-in with a phone number is off. As in Identity Platform, tenants have no such users.
  ///
  /// - Throws: `unsupportedTenant`, `operationNotAllowed`.
  package func requireServed(isEmulated: Bool) throws(AccountError) {
    guard context.settings.tenant == nil else { throw AccountError(.unsupportedTenant) }
    guard isEmulated || context.configuration.servesPhoneSignIn else {
      throw AccountError(.operationNotAllowed, "Sign-in by phone number is not enabled.")
    }
  }

  /// Sends a code to a number.
  ///
  /// - Parameter number: E.164.
  /// - Returns: the session text of the code.
  /// - Throws: `unsupportedTenant`, `operationNotAllowed`; the errors of ``PhoneCodes/send(_:_:)``.
  package func sendCode(to number: String, _ request: PhoneRequest) async throws(AccountError) -> String {
    try requireServed(isEmulated: request.isEmulated)
    try PhoneNumber.check(number)
    // With enumeration protection it is refused only once the number is proven, since the error reveals an account.
    if !context.configuration.protectsFromEnumeration, let owner = context.store.view.user(phone: number) {
      try Self.requirePhoneAsFirst(owner)
    }
    return try await codes.send(PhoneCodes.CodeRequest(purpose: .phoneSignIn, number: number), request)
  }

  /// Signs a user in with a number that they prove, or adds it to the caller's account.
  ///
  /// - Parameters:
  ///   - caller: the signed-in user; nil for a sign-in.
  ///   - makesAccounts: true when an unknown number gets an account; false for a reauthentication of its owner.
  /// - Throws: `unsupportedTenant`, `operationNotAllowed`; `invalidSessionInfo`, `sessionExpired`, `tooManyAttempts`,
  ///   `invalidCode`, `invalidTemporaryProof`; `phoneNumberExists`, `unsupportedFirstFactor`, `adminOnlyOperation`; the
  ///   errors of ``SecondFactors/continueAfterFirstFactor(of:client:now:)``.
  package func signIn(
    _ proof: PhoneProof, caller: Caller?, makesAccounts: Bool = true, client: ClientInfo, isEmulated: Bool, now: Instant
  ) async throws(AccountError) -> (number: String, outcome: PhoneOutcome) {
    try requireServed(isEmulated: isEmulated)
    let number = try await provenNumber(proof, client: client, now: now)
    let owner = context.store.view.user(phone: number)
    guard let caller else {
      guard owner != nil || makesAccounts else { throw AccountError(.userNotFound) }
      let authenticated = try phoneUser(number, owner, client: client, now: now)
      return (
        number, .step(try await secondFactors.continueAfterFirstFactor(of: authenticated, client: client, now: now))
      )
    }
    if let owner, !owner.uid.isSameText(as: caller.user.uid) {
      guard !proof.isEarlier else { throw AccountError(.phoneNumberExists) }
      return (number, .taken(proof: try await newProof(of: number, now: now)))
    }
    let signedIn = try await link(number, to: caller, client: client, now: now)
    return (number, .step(.signedIn(signedIn)))
  }

  // MARK: Proofs

  /// Returns the proven number, and consumes its proof.
  private func provenNumber(
    _ proof: PhoneProof, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> String {
    switch proof {
    case .earlier(let number, let text):
      let isTaken = try await consume(Digest(sha256: text.utf8), now: now) { ticket in
        ticket.purpose == .phoneProof && ticket.phoneNumber?.isSameText(as: number) == true
      }
      guard isTaken else { throw AccountError(.invalidTemporaryProof) }
      return number
    case .code(let sessionInfo, let code):
      let hash = Digest(sha256: sessionInfo.utf8)
      guard let seen = context.store.view.ticket(hash), seen.purpose == .phoneSignIn, let number = seen.phoneNumber
      else {
        throw AccountError(.invalidSessionInfo)
      }
      guard !seen.isExpired(nowSeconds: now.wallMilliseconds / 1_000) else { throw AccountError(.sessionExpired) }
      guard context.throttle.admitCodeTry(account: number, now: now) else {
        throw AccountError(.tooManyAttempts, "Too many codes were tried. Try again later.")
      }
      guard let isRight = try await use(hash, code, sessionInfo, client: client) else {
        throw AccountError(.invalidSessionInfo)
      }
      guard isRight else { throw AccountError(.invalidCode) }
      return number
    }
  }

  /// Consumes a right code, or counts a failed attempt, in one transaction: concurrent attempts are all counted, and of
  /// concurrent requests with the right code one succeeds.
  ///
  /// - Returns: true when it was right; nil when it is gone.
  private func use(
    _ hash: Digest, _ code: String, _ sessionInfo: String, client: ClientInfo
  ) async throws(AccountError) -> Bool? {
    let codes = codes
    return try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> Bool? in
      guard let ticket = transaction.ticket(hash), ticket.purpose == .phoneSignIn else { return nil }
      let isRight = codes.isRight(code, sessionInfo, for: ticket)
      if isRight { transaction.removeTicket(hash) } else { transaction.countFailedAttempt(hash) }
      transaction.audit(
        AuditEvent(isRight ? .codeUsed : .codeFailed, client: client, detail: Ticket.Purpose.phoneSignIn.rawValue))
      return isRight
    }
  }

  /// Consumes a ticket: of concurrent requests with the same code only one succeeds.
  private func consume(
    _ hash: Digest, now: Instant, where isIt: @escaping @Sendable (Ticket) -> Bool
  ) async throws(AccountError) -> Bool {
    let nowSeconds = now.wallMilliseconds / 1_000
    guard context.store.view.ticket(hash).map(isIt) == true else { return false }
    return try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> Bool in
      guard let ticket = transaction.ticket(hash), isIt(ticket), !ticket.isExpired(nowSeconds: nowSeconds) else {
        return false
      }
      transaction.removeTicket(hash)
      return true
    }
  }

  private func newProof(of number: String, now: Instant) async throws(AccountError) -> String {
    let code = try context.secrets.code()
    let nowSeconds = now.wallMilliseconds / 1_000
    var ticket = Ticket(
      purpose: .phoneProof, uid: nil, email: nil, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Self.proofLifetimeSeconds)
    ticket.phoneNumber = number
    try await context.store.transact { [ticket] (transaction: inout AccountTransaction) throws(AccountError) in
      transaction.putTicket(code.hash, ticket)
    }
    return code.text
  }

  // MARK: Accounts

  private func phoneUser(
    _ number: String, _ owner: UserRecord?, client: ClientInfo, now: Instant
  ) throws(AccountError) -> AuthenticatedUser {
    let signIn = SignInContext(ProviderID.phone)
    if let owner {
      guard !owner.isDisabled else { throw AccountError(.userDisabled) }
      try Self.requirePhoneAsFirst(owner)
      return AuthenticatedUser(owner, signIn)
    }
    try signUp.requireAllowed()
    var user = try signUp.newUser(now: now)
    user.phoneNumber = number
    return signUp.pendingUser(user, signIn, client: client)
  }

  /// Sets or replaces the account's number. The sign-in time of the new tokens is that of the sign-in that they continue.
  private func link(
    _ number: String, to caller: Caller, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> SignInResult {
    try Self.requirePhoneAsFirst(caller.user)
    // Replacing a number removes the old one, which is a credential.
    let isReplaced = caller.user.phoneNumber.map { !$0.isSameText(as: number) } ?? false
    let change: CredentialChange = isReplaced ? .phoneReplaced : .phoneLinked
    try changes.require([change], of: caller, now: now)
    let session = try await sessions.prepare(following: caller, provider: ProviderID.phone, client: client)
    let (user, tokens) = try await changes.change(
      [change], of: caller.user.uid, by: .session(caller, .given(session)), detail: ProviderID.phone, client: client,
      now: now
    ) { (_, user) throws(AccountError) in
      try Self.requirePhoneAsFirst(user)
      // The account got another number meanwhile.
      let isOther = user.phoneNumber.map { !$0.isSameText(as: number) } ?? false
      guard isReplaced || !isOther else { throw AccountError(.credentialTooOld) }
      user.phoneNumber = number
    }
    guard let tokens else { throw AccountError(.internalError) }
    return SignInResult(user: user, tokens: tokens, isNew: false)
  }

  /// Refuses a number as the first factor of an account that has a phone as its second.
  private static func requirePhoneAsFirst(_ user: UserRecord) throws(AccountError) {
    guard !user.factors.contains(where: { $0.kind.number != nil }) else {
      throw AccountError(
        .unsupportedFirstFactor, "A phone number cannot be set as a first factor on an SMS based MFA user.")
    }
  }
}

extension SecondFactor.Kind {
  /// The phone number; nil for another kind of factor.
  var number: String? { if case .phone(let number) = self { number } else { nil } }
}
