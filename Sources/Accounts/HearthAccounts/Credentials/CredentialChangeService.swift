import HearthCrypto
import HearthEngine
import HearthPlugin

/// Changes a user's credentials, by the terms of each ``CredentialChange``: checks the authority, ends the
/// affected sessions, mails the owner a link that reverts the change, and writes the audit log.
package struct CredentialChangeService: Sendable {
  let context: AccountsContext
  let sessions: Sessions
  private var authenticator: IDTokenAuthenticator { IDTokenAuthenticator(context: context) }
  private var passkeys: PasskeyPolicy { PasskeyPolicy(context: context) }
  private var codes: ActionCodes { ActionCodes(context: context) }

  /// The authority of a change.
  enum Authority: Sendable {
    /// The caller's session, and the one with which they continue.
    case session(Caller, Next)
    /// The password, which a 2.x client sent with the request; the account as it was when the password was checked.
    case password(UserRecord)
    /// A mailed code, which the change consumes.
    case mailedCode

    fileprivate var caller: Caller? { if case .session(let caller, _) = self { caller } else { nil } }

    fileprivate func allows(_ requiredAuthority: CredentialChange.RequiredAuthority) -> Bool {
      switch (self, requiredAuthority) {
      case (.session, .session), (.session, .sessionOrPassword), (.password, .sessionOrPassword): true
      case (.mailedCode, .mailedCode): true
      default: false
      }
    }
  }

  /// The session with which a caller continues.
  enum Next: Sendable {
    /// The present session.
    case same
    /// A new session of the same sign-in.
    case following
    /// A new session that was prepared before.
    case given(NewSession)
  }

  // MARK: Requirements

  /// Refuses a session that may not make the changes, before costly work. The change itself checks again.
  ///
  /// - Throws: `credentialTooOld`, after which clients ask the user to sign in again.
  func require(_ changes: [CredentialChange], of caller: Caller, now: Instant) throws(AccountError) {
    try require(changes, of: caller, on: caller.user, now: now)
  }

  /// Refuses a session whose sign-in is not recent, or that has not shown the account's second factor: for actions of
  /// the owner only, such as deleting the account.
  ///
  /// - Throws: `credentialTooOld`.
  package func requireOwner(_ caller: Caller, now: Instant) throws(AccountError) {
    try authenticator.requireConsoleOwner(caller, of: caller.user, now: now)
    try authenticator.requireRecentSignIn(caller, now: now)
    try requireFactors(shownBy: caller, of: caller.user)
  }

  private func require(
    _ changes: [CredentialChange], of caller: Caller, on user: UserRecord, now: Instant
  ) throws(AccountError) {
    try authenticator.requireConsoleOwner(caller, of: user, now: now)
    let requiresRecent = changes.contains { change in
      switch change.terms.recency {
      case .never: false
      case .unlessAnonymous: !user.isAnonymous
      case .always: true
      }
    }
    if requiresRecent { try authenticator.requireRecentSignIn(caller, now: now) }
    try requireFactors(shownBy: caller, of: user)
  }

  /// Requires the account's second factor, and a passkey or user verification where the account accepts only passkeys.
  private func requireFactors(shownBy caller: Caller, of user: UserRecord) throws(AccountError) {
    try sessions.requireSecondFactor(shownBy: caller, of: user)
    guard passkeys.admits(user, after: caller.provider) || sessions.isUserVerified(caller) else {
      throw AccountError(.credentialTooOld)
    }
  }

  // MARK: The change

  /// Makes changes in one transaction.
  ///
  /// When a change ends the other sessions, the caller's new session has the current time as `auth_time`, because
  /// application servers reject tokens with an `auth_time` before the revocation. The caller has just proven their
  /// identity.
  ///
  /// - Parameters:
  ///   - hookChanges: further changes of a blocking function in the same transaction.
  ///   - detail: the provider and method, for the audit record and the mail.
  ///   - change: updates the user's record. Its errors refuse everything.
  /// - Returns: the account, and the caller's tokens when they continue with another session.
  /// - Throws: `userNotFound`, `userDisabled`, `tokenExpired`, `credentialTooOld`; the errors of the change.
  func change(
    _ changes: [CredentialChange], of uid: String, by authority: Authority, with hookChanges: [CredentialChange] = [],
    detail: String? = nil, client: ClientInfo, now: Instant,
    change: @escaping @Sendable (inout AccountTransaction, inout UserRecord) throws(AccountError) -> Void
  ) async throws(AccountError) -> (user: UserRecord, tokens: TokenTriple?) {
    let terms = changes.map(\.terms)
    guard let first = terms.first, terms.allSatisfy({ authority.allows($0.requiredAuthority) }) else {
      throw AccountError(.internalError)
    }
    let caller = authority.caller
    let session = try await newSession(of: authority, client: client)
    let kind = terms.compactMap(\.notice).min { $0.rank < $1.rank }
    let notice = try kind.map { kind throws(AccountError) in try self.notice(kind, client: client) }
    let outcome = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> Outcome in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      try check(authority, changes, on: user, now: now)
      let before = user
      try change(&transaction, &user)
      if let caller {
        user.recordProbation(
          addedSince: before, isRecent: authenticator.isRecent(caller, now: now),
          nowSeconds: now.wallMilliseconds / 1000)
      }
      let ending = ending(of: terms, user)
      let hasEnded = transaction.end(ending, of: &user, since: before, except: caller)
      var record: SessionRecord?
      if let session, !user.isDisabled {
        let isNew = ending == .others || terms.contains(where: \.renewsSignIn)
        record = transaction.begin(
          session, of: &user, now: now, authTimeSeconds: isNew ? nil : caller?.authTimeSeconds)
      }
      try transaction.update(user, as: changes + hookChanges)
      let notifiesOwner = kind.map { Self.notifiesOwner($0, from: before, to: user) } ?? false
      if notifiesOwner, let reversal = notice?.reversal {
        transaction.storeReversalCode(reversal, from: user, to: before)
      }
      for event in terms.map(\.event).withoutRepeats {
        transaction.audit(AuditEvent(event, uid: uid, email: user.email, client: client, detail: detail))
      }
      return Outcome(before: before, user: user, record: record, hasEnded: hasEnded, notifiesOwner: notifiesOwner)
    }
    if outcome.hasEnded { context.announce(.user(uid: uid), first.event) }
    if outcome.notifiesOwner, let notice {
      notify(notice, of: outcome.before, user: outcome.user, detail: detail, client: client, now: now)
    }
    guard let session, let record = outcome.record else { return (outcome.user, nil) }
    return (outcome.user, try sessions.tokens.tokens(of: outcome.user, beginning: session, as: record))
  }

  /// A notice that is about to be sent, and its reverting code; `nil` where no mail is sent.
  struct Notice: Sendable {
    let kind: MailMessage.Kind
    let reversal: ReversalCode?
  }

  /// Returns a notice with a new reverting code; the caller stores the code with the change.
  func notice(_ kind: MailMessage.Kind, client: ClientInfo) throws(AccountError) -> Notice {
    Notice(kind: kind, reversal: try codes.makeReversalCode(kind, client: client))
  }

  /// Mails a notice to the address that the account had before a committed change.
  func notify(
    _ notice: Notice, of before: UserRecord, user: UserRecord, detail: String?, client: ClientInfo, now: Instant
  ) {
    context.mails.notify(
      notice.kind, of: before, user: user, detail: detail, link: notice.reversal?.link, client: client, now: now)
  }

  private struct Outcome: Sendable {
    var before: UserRecord
    var user: UserRecord
    var record: SessionRecord?
    var hasEnded: Bool
    var notifiesOwner: Bool
  }

  private func newSession(of authority: Authority, client: ClientInfo) async throws(AccountError) -> NewSession? {
    guard case .session(let caller, let next) = authority else { return nil }
    switch next {
    case .same: return nil
    case .following: return try await sessions.prepare(following: caller, client: client)
    case .given(let session): return session
    }
  }

  private func check(
    _ authority: Authority, _ changes: [CredentialChange], on user: UserRecord, now: Instant
  ) throws(AccountError) {
    switch authority {
    case .session(let caller, _):
      try caller.check(against: user)
      try require(changes, of: caller, on: user, now: now)
    case .password(let authenticated): try user.requireCredentials(of: authenticated)
    case .mailedCode: break
    }
  }

  private func ending(of terms: [CredentialChange.Terms], _ user: UserRecord) -> CredentialChange.SessionEnding {
    let ending = terms.map(\.ends).max() ?? .none
    guard ending == .othersIfPasskeyRequired else { return ending }
    return passkeys.admits(user, after: ProviderID.password) ? .none : .others
  }

  /// Returns true when the owner is mailed: at a verified address about every change; at an unverified one, which may
  /// belong to another person, only when it or the password changes. An account that had no address gets no mail.
  private static func notifiesOwner(_ notice: MailMessage.Kind, from before: UserRecord, to user: UserRecord) -> Bool {
    let isChanged = !user.proofs(changedSince: before).isEmpty || user.password != before.password
    guard before.email != nil, isChanged else { return false }
    return before.isEmailVerified || notice == .recoverEmail || notice == .passwordChanged
  }
}

extension MailMessage.Kind {
  /// The severity by which one of several notices is chosen.
  fileprivate var rank: Int {
    switch self {
    case .recoverEmail: 0
    case .revertSecondFactor: 1
    case .passwordChanged: 2
    default: 3
    }
  }
}

extension [AuditEvent.Kind] {
  fileprivate var withoutRepeats: [AuditEvent.Kind] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension AccountTransaction {
  /// Ends the affected sessions. The caller stores the record.
  ///
  /// - Returns: true when connections may be authenticated by an ended session: by its ID token, or as a 2.x session.
  fileprivate mutating func end(
    _ ending: CredentialChange.SessionEnding, of user: inout UserRecord, since before: UserRecord,
    except caller: Caller?
  ) -> Bool {
    switch ending {
    case .none, .othersIfPasskeyRequired: return false
    case .others:
      endTokens(of: &user)
      return true
    case .sameProvider:
      let lost = user.providersLost(since: before)
      guard !lost.isEmpty else { return false }
      removeTickets(of: user.uid, purposes: [.pendingSecondFactor])
      var hasEnded = false
      for (hash, session) in sessions(of: user.uid) {
        guard session.began(byOneOf: lost), caller?.owns(session) != true else { continue }
        removeSession(hash)
        hasEnded = hasEnded || session.isLegacy
      }
      return hasEnded
    }
  }
}

extension SessionRecord {
  /// Returns true when the session began with one of the providers. 2.x sessions name `google.com` as `google`.
  fileprivate func began(byOneOf providers: Set<String>) -> Bool {
    providers.contains { provider in signInProvider == provider || isLegacy && provider.hasPrefix(signInProvider + ".")
    }
  }
}
