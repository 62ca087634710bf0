import HearthCrypto
import HearthEngine

extension AccountTransaction {
  /// Consumes a ticket or refuses it: of concurrent requests with the same code only one succeeds.
  ///
  /// - Throws: `invalidOOBCode`, `expiredCode`, `userDisabled`.
  mutating func consumeTicket(
    _ hash: Digest, purpose: Ticket.Purpose, user: UserRecord?, now: Instant
  ) throws(AccountError) {
    guard let ticket = ticket(hash), ticket.purpose == purpose, ticket.uid == user?.uid else {
      throw AccountError(.invalidOOBCode)
    }
    guard !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000) else { throw AccountError(.expiredCode) }
    // A code proves the address that it was sent to, and nothing about another.
    if let user {
      guard !user.isDisabled else { throw AccountError(.userDisabled) }
      guard let email = user.email, let issued = ticket.email, email.isSameText(as: issued) else {
        throw AccountError(.invalidOOBCode)
      }
    }
    removeTicket(hash)
  }

  /// Counts a failed attempt; after the last one the ticket is deleted.
  mutating func countFailedAttempt(_ hash: Digest) {
    guard var ticket = ticket(hash) else { return }
    ticket.failedAttempts += 1
    if ticket.failedAttempts >= Ticket.failedAttemptsMax { removeTicket(hash) } else { putTicket(hash, ticket) }
  }

  /// Changes the address and invalidates the codes that were mailed.
  ///
  /// Codes that revert a change stay valid: otherwise an attacker who controls an account changes its address twice,
  /// and its owner can do nothing.
  ///
  /// - Throws: `emailExists` for another account's address.
  mutating func changeAddress(of user: inout UserRecord, to address: String, isVerified: Bool) throws(AccountError) {
    if let owner = self.user(email: address), owner.uid != user.uid { throw AccountError(.emailExists) }
    user.email = address
    user.isEmailVerified = isVerified
    removeTickets(of: user.uid, purposes: .endedByChange)
  }
}
