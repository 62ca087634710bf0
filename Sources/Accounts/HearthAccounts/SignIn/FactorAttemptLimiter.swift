import HearthCrypto
import HearthEngine

/// Limits attempts at the codes of second factors.
struct FactorAttemptLimiter: Sendable {
  let context: AccountsContext

  /// Counts an attempt before the code is checked, so that concurrent attempts are all counted.
  ///
  /// - Parameters:
  ///   - hash: the hash of the ticket that the code is shown with.
  ///   - code: the error when the ticket is gone, or becomes invalid with this attempt.
  /// - Throws: `tooManyAttempts`, or that code.
  func count(
    _ hash: Digest, uid: String, otherwise code: AccountError.Code, now: Instant
  ) async throws(AccountError) -> Ticket {
    guard context.throttle.admitFactorTry(account: uid, now: now) else {
      throw AccountError(.tooManyAttempts, "Too many codes were tried. Try again later.")
    }
    let ticket = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> Ticket? in
      guard var ticket = transaction.ticket(hash), ticket.uid == uid else { return nil }
      ticket.failedAttempts += 1
      if ticket.failedAttempts > Ticket.failedAttemptsMax {
        transaction.removeTicket(hash)
        return nil
      }
      transaction.putTicket(hash, ticket)
      return ticket
    }
    guard let ticket else { throw AccountError(code) }
    return ticket
  }
}
