import HearthCrypto
import HearthEngine

extension AccountTransaction {
  /// Uses a ticket up, or refuses: of many who come with the same code one gets it.
  ///
  /// - Throws: `invalidOOBCode`, `expiredCode`, `userDisabled`.
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

  /// Counts a wrong try; after the last one the ticket is gone.
  mutating func countFailedTry(_ hash: Digest) {
    guard var ticket = ticket(hash) else { return }
    ticket.failedTries += 1
    if ticket.failedTries >= Ticket.failedTriesMax { removeTicket(hash) } else { putTicket(hash, ticket) }
  }

  /// Changes the address, ends the codes that were mailed, and makes one that takes it back.
  ///
  /// Codes that take back an earlier address stay good: otherwise who has taken an account changes its address twice, and
  /// its owner can do nothing.
  ///
  /// - Throws: `emailExists` for somebody else's address.
  mutating func moveAddress(
    of user: inout UserRecord, to address: String, isVerified: Bool, recovery: AddressRecovery, now: Instant
  ) throws(AccountError) {
    if let owner = self.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
    let (old, wasVerified) = (user.email, user.isEmailVerified)
    user.email = address
    user.isEmailVerified = isVerified
    removeTickets(of: user.uid, purposes: .endedByChange)
    guard let old, !old.isSameText(as: address) else { return }
    let nowSeconds = now.wallMilliseconds / 1000
    // Each later than the one before, also within a second: the earlier address has the better right.
    let last = tickets(of: user.uid).filter { $0.ticket.purpose == .recoverEmail }.map(\.ticket.createdAtSeconds).max()
    var ticket = Ticket(
      purpose: .recoverEmail, uid: user.uid, email: old, createdAtSeconds: max(nowSeconds, last?.plus(1) ?? nowSeconds),
      expiresAtSeconds: nowSeconds + Ticket.Purpose.recoverEmail.lifetimeSeconds)
    ticket.newEmail = address
    ticket.details = recovery.details(wasVerified: wasVerified)
    putTicket(recovery.code.hash, ticket)
  }
}
