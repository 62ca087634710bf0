import HearthCrypto
import HearthEngine
import HearthPlugin

/// Consumes mailed codes and performs their actions.
package struct CodeRedemption: Sendable {
  let context: AccountsContext
  let changes: CredentialChangeService
  let revert: ChangeReverter
  let passwords: NewPasswords
  let providers: SignInProviders
  private var codes: ActionCodes { ActionCodes(context: context) }

  /// Reverts a change of credentials by its ticket, and the second factor's code when one was shown.
  typealias ChangeReverter =
    @Sendable (Ticket, Digest, _ factorCode: String?, ClientInfo, Instant) async throws(AccountError) -> UserRecord

  /// The effect of a code that was used.
  package struct Effect: Sendable {
    /// The purpose of the code.
    package let purpose: Ticket.Purpose
    /// The account after the code's action.
    package let user: UserRecord
  }

  /// Consumes a code and performs its action.
  ///
  /// - Parameters:
  ///   - purposes: the accepted purposes; other codes are left unused.
  ///   - newPassword: the password for a reset.
  ///   - factorCode: the code of a second factor that the account had before the reverted change.
  /// - Throws: `missingOOBCode`, `invalidOOBCode`, `expiredCode`, `userDisabled`, `emailExists`; for a reset the
  ///   password policy's errors; for a reverted change `missingCode`, `invalidCode`, `tooManyAttempts`.
  @discardableResult
  package func redeem(
    _ code: String?,
    purposes: Set<Ticket.Purpose> = [
      .resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactor, .revertChange,
    ],
    newPassword: String? = nil, factorCode: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Effect {
    let (ticket, hash) = try codes.presented(code, purposes: purposes, now: now)
    let user: UserRecord
    switch ticket.purpose {
    case .resetPassword:
      guard let newPassword else { throw AccountError(.missingPassword) }
      user = try await resetPassword(ticket, hash, to: newPassword, client: client, now: now)
    case .verifyEmail: user = try await verifyEmail(hash, client: client, now: now)
    case .verifyAndChangeEmail: user = try await changeEmail(ticket, hash, client: client, now: now)
    case .recoverEmail, .revertSecondFactor, .revertChange:
      user = try await revert(ticket, hash, factorCode, client, now)
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
    let stored = try await passwords.checkAndHash(password, email: ticket.email, .change, client: client, now: now)
    let current = context.store.view.user(uid)
    let dropsIdentities = context.configuration.resetDropsIdentities
    let isTakenOver = current?.isEmailVerified == false
    let providerIDs = current?.identities.map(\.providerID) ?? []
    let detail = "\(dropsIdentities || isTakenOver ? "removed" : "kept"): \(providerIDs.joined(separator: " "))"
    let user = try await changes.change(
      [.passwordReset], of: uid, by: .mailedCode, detail: providerIDs.isEmpty ? nil : detail, client: client, now: now
    ) { (transaction, user) throws(AccountError) in
      try transaction.consumeTicket(hash, purpose: .resetPassword, user: user, now: now)
      transaction.removeTickets(of: uid, purposes: .endedByChange)
      user.password = stored
      user.hasTemporaryPassword = false
      // The code was mailed to the address, so the user who shows it owns the address.
      if !user.isEmailVerified { user.removeUnprovenCredentials() }
      let isProbationary = user.isProbationary(ProviderID.password, nowSeconds: now.wallMilliseconds / 1000)
      if dropsIdentities, !isProbationary { (user.identities, user.passkeys, user.phoneNumber) = ([], [], nil) }
      user.isEmailVerified = true
      transaction.keepPassword(of: user)
    }.user
    // Wrong tries at the old password must not delay the owner, who has just set a new one.
    if let email = user.email { context.throttle.forgetFailures(account: email) }
    context.mails.notify(.passwordChanged, user, client: client, now: now)
    return user
  }

  private func verifyEmail(_ hash: Digest, client: ClientInfo, now: Instant) async throws(AccountError) -> UserRecord {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard let ticket = transaction.ticket(hash), let uid = ticket.uid, var user = transaction.user(uid) else {
        throw AccountError(.invalidOOBCode)
      }
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      try transaction.consumeTicket(hash, purpose: .verifyEmail, user: user, now: now)
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
      return try await changes.change(
        [.addressConfirmed], of: uid, by: .mailedCode, client: client, now: now
      ) { (transaction, user) throws(AccountError) in
        guard !user.isDisabled else { throw AccountError(.userDisabled) }
        try transaction.consumeTicket(hash, purpose: .verifyAndChangeEmail, user: user, now: now)
        try transaction.changeAddress(of: &user, to: address, isVerified: true)
      }.user
    } catch {
      // Another account has the address by now. The code is consumed nevertheless; otherwise it could claim the address
      // later.
      if error.code == .emailExists { try await consume(hash, of: uid, client: client) }
      throw error
    }
  }

  private func consume(_ hash: Digest, of uid: String, client: ClientInfo) async throws(AccountError) {
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard let ticket = transaction.ticket(hash), ticket.uid == uid else { return }
      transaction.removeTicket(hash)
      transaction.audit(
        AuditEvent(.codeFailed, uid: uid, email: ticket.email, client: client, detail: ticket.purpose.rawValue))
    }
  }
}
