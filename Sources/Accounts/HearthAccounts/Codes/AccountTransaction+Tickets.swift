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

  /// Changes the address, and ends the codes that were mailed.
  ///
  /// Codes that take a change back stay good: otherwise who has taken an account changes its address twice, and its owner can
  /// do nothing.
  ///
  /// - Throws: `emailExists` for somebody else's address.
  mutating func moveAddress(of user: inout UserRecord, to address: String, isVerified: Bool) throws(AccountError) {
    if let owner = self.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
    user.email = address
    user.isEmailVerified = isVerified
    removeTickets(of: user.uid, purposes: .endedByChange)
  }
}
