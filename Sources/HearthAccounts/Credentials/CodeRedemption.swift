import HearthCrypto
import HearthEngine
import HearthPlugin

/// Uses mailed codes up and does what they are for.
package struct CodeRedemption: Sendable {
  private let codes: ActionCodes
  private let store: AccountStore
  private let changes: CredentialChanges
  private let addresses: AddressChanges
  private let passwords: NewPasswords
  private let providers: SignInProviders
  private let throttle: Throttle
  private let mails: AccountMails
  private let configuration: LiveConfiguration

  init(
    codes: ActionCodes, store: AccountStore, changes: CredentialChanges, addresses: AddressChanges,
    passwords: NewPasswords, providers: SignInProviders, throttle: Throttle, mails: AccountMails,
    configuration: LiveConfiguration
  ) {
    self.codes = codes
    self.store = store
    self.changes = changes
    self.addresses = addresses
    self.passwords = passwords
    self.providers = providers
    self.throttle = throttle
    self.mails = mails
    self.configuration = configuration
  }

  /// The effect of a code that was used.
  package struct Effect: Sendable {
    /// What the code was for.
    package let purpose: Ticket.Purpose
    /// The account after it.
    package let user: UserRecord
  }

  /// Uses a code up and does what it is for.
  ///
  /// - Parameters:
  ///   - purposes: those that the caller takes; others are left unused.
  ///   - newPassword: for a reset.
  /// - Throws: `missingOOBCode`, `invalidOOBCode`, `expiredCode`, `userDisabled`, `emailExists`; for a reset what the
  ///   password policy says.
  @discardableResult
  package func redeem(
    _ code: String?,
    purposes: Set<Ticket.Purpose> = [
      .resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactor,
    ],
    newPassword: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Effect {
    let (ticket, hash) = try codes.presented(code, purposes: purposes, now: now)
    let user: UserRecord
    switch ticket.purpose {
    case .resetPassword:
      guard let newPassword else { throw AccountError(.missingPassword) }
      user = try await resetPassword(ticket, hash, to: newPassword, client: client, now: now)
    case .verifyEmail: user = try await verifyEmail(hash, client: client, now: now)
    case .verifyAndChangeEmail: user = try await changeEmail(ticket, hash, client: client, now: now)
    case .recoverEmail: user = try await recoverEmail(ticket, hash, client: client, now: now)
    case .revertSecondFactor: user = try await revertFactor(ticket, hash, client: client, now: now)
    case .emailSignIn, .pendingSecondFactor, .factorEnrolment, .pendingIdentity, .redeemedCode, .phoneSignIn,
      .phoneProof, .phoneEnrolment, .phoneSecondFactor, .usedChallenge:
      throw AccountError(.invalidOOBCode)
    }
    return Effect(purpose: ticket.purpose, user: user)
  }

  private func resetPassword(
    _ ticket: Ticket, _ hash: Digest, to password: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard providers.serves(.password), let uid = ticket.uid else { throw AccountError(.passwordLoginDisabled) }
    let stored = try await passwords.take(password, email: ticket.email, .change, client: client, now: now)
    let current = store.view.user(uid)
    let dropsIdentities = configuration.value.resetDropsIdentities
    let isTakenOver = current?.isEmailVerified == false
    let providerIDs = current?.identities.map(\.providerID) ?? []
    let detail = "\(dropsIdentities || isTakenOver ? "removed" : "kept"): \(providerIDs.joined(separator: " "))"
    let user = try await changes.change(
      of: uid, event: .resetDone, detail: providerIDs.isEmpty ? nil : detail, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try transaction.takeTicket(hash, purpose: .resetPassword, user: user, now: now)
      transaction.removeTickets(of: uid, purposes: .endedByChange)
      user.password = stored
      user.hasTemporaryPassword = false
      // The code was mailed to the address, so the person who shows it owns it.
      if !user.isEmailVerified { user.dropUnprovenWaysIn() }
      if dropsIdentities { (user.identities, user.passkeys, user.phoneNumber) = ([], [], nil) }
      user.isEmailVerified = true
    }.user
    // Wrong tries at the old password must not delay the owner, who has just set a new one.
    if let email = user.email { throttle.forgetFailures(account: email) }
    mails.tell(.passwordChanged, user, client: client, now: now)
    return user
  }

  private func verifyEmail(_ hash: Digest, client: ClientInfo, now: Instant) async throws(AccountError) -> UserRecord {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
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
  }

  private func changeEmail(
    _ ticket: Ticket, _ hash: Digest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let uid = ticket.uid, let address = ticket.newEmail else { throw AccountError(.invalidOOBCode) }
    do {
      return try await addresses.move(
        uid, to: address, isVerified: true, event: .emailChanged, client: client, now: now
      ) { (transaction, user) throws(AccountError) in
        guard !user.isDisabled else { throw AccountError(.userDisabled) }
        try transaction.takeTicket(hash, purpose: .verifyAndChangeEmail, user: user, now: now)
      }.user
    } catch {
      // Another account has the address by now. The code is used up all the same; otherwise it could take the address
      // later.
      if error.code == .emailExists { try await useUp(hash, of: uid, client: client) }
      throw error
    }
  }

  private func useUp(_ hash: Digest, of uid: String, client: ClientInfo) async throws(AccountError) {
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let ticket = transaction.ticket(hash), ticket.uid == uid else { return }
      transaction.removeTicket(hash)
      transaction.audit(
        AuditEvent(.codeFailed, uid: uid, email: ticket.email, client: client, detail: ticket.purpose.rawValue))
    }
  }

  /// Takes a second factor away that somebody else may have added. The tokens so far end: who added it was signed in.
  private func revertFactor(
    _ ticket: Ticket, _ hash: Digest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let uid = ticket.uid else { throw AccountError(.invalidOOBCode) }
    return try await changes.change(
      of: uid, event: .factorRemoved, detail: "reverted by mail", client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard let factor = transaction.ticket(hash)?.revertedFactor, user.factors.contains(where: { $0.id == factor })
      else { throw AccountError(.invalidOOBCode) }
      transaction.removeTicket(hash)
      user.factors.removeAll { $0.id == factor }
      // Whoever added the factor may have written them down.
      user.recoveryCodes = []
    }.user
  }

  /// Gives an account back the address that was taken from it.
  private func recoverEmail(
    _ ticket: Ticket, _ hash: Digest, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    guard let uid = ticket.uid, let address = ticket.email else { throw AccountError(.invalidOOBCode) }
    return try await changes.change(
      of: uid, event: .emailChanged, detail: "recovered", client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard let ticket = transaction.ticket(hash), ticket.purpose == .recoverEmail, ticket.uid == uid else {
        throw AccountError(.invalidOOBCode)
      }
      if let owner = transaction.user(email: address), owner.uid != uid { throw AccountError(.emailExists) }
      user.email = address
      user.isEmailVerified = true
      // Whoever took the address away may have added keys, and have written codes down.
      (user.passkeys, user.recoveryCodes) = ([], [])
      transaction.removeTickets(of: uid, purposes: .endedByChange)
      // Codes that would restore addresses which the account had later are deleted; those for earlier addresses stay
      // valid.
      for (later, other) in transaction.tickets(of: uid) where other.createdAtSeconds >= ticket.createdAtSeconds {
        transaction.removeTicket(later)
      }
    }.user
  }
}
