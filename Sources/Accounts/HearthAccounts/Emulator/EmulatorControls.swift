import HearthCrypto
import HearthEngine
import HearthTree

/// The emulator's controls for test suites: programs on the same machine can reset and read the accounts.
package struct EmulatorControls: Sendable {
  let context: AccountsContext
  /// The project number of every emulator, which suites expect.
  static let projectNumber = "12345"

  /// Deletes all accounts without audit records or events: test suites reuse uids.
  ///
  /// - Parameter administrator: the administrator's name, for an authenticated request.
  package func deleteAllUsers(administrator: String?, client: ClientInfo) async throws(AccountError) {
    let who = administrator.map { ", by \($0)" } ?? ""
    let uids = try await context.store.transact { (transaction) throws(AccountError) -> [String] in
      let uids = transaction.users(limit: .max).map(\.uid)
      transaction.deleteAllUsers()
      transaction.audit(
        AuditEvent(.userDeleted, client: client, detail: "all \(uids.count) accounts of the emulator\(who)"))
      return uids
    }
    for uid in uids { context.announce(.user(uid: uid), .userDeleted) }
  }

  /// A mailed code that is still valid.
  package struct MailedCode: Sendable, Redacted {
    /// The recipient of the mail, or the account's address.
    package let email: String?
    /// The new address of a change.
    package let newEmail: String?
    /// The purpose of the code.
    package let purpose: Ticket.Purpose
    /// The code itself, `oobCode`.
    package let code: String
    /// The link in the mail; nil when the ticket has none.
    package let link: String?
    fileprivate let order: Int64
  }

  /// The mailed codes that are still valid, the oldest first.
  package func mailedCodes(now: Instant) -> [MailedCode] {
    context.store.view.allTickets(limit: context.store.limits.ticketsMax).compactMap { ticket -> MailedCode? in
      guard !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000),
        let details = ticket.details.flatMap({ JSON(parsing: $0.utf8) }), let code = details["oobCode"]?.string
      else { return nil }
      return MailedCode(
        email: ticket.email, newEmail: ticket.newEmail, purpose: ticket.purpose, code: code,
        link: details["oobLink"]?.string, order: details["order"]?.int ?? 0)
    }.sorted { $0.order < $1.order }
  }

  /// A code for a phone number, which is not sent.
  package struct SentPhoneCode: Sendable, Redacted {
    /// The number, in E.164.
    package let phoneNumber: String
    /// The session info that the client shows again with the code.
    package let sessionInfo: String
    /// The code, six digits.
    package let code: String
    fileprivate let order: Int64
  }

  /// The unused codes for phone numbers that are still valid, the oldest first.
  package func phoneCodes(now: Instant) -> [SentPhoneCode] {
    context.store.view.allTickets(limit: context.store.limits.ticketsMax).compactMap { ticket -> SentPhoneCode? in
      guard !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1000), let number = ticket.phoneNumber,
        let details = ticket.phoneDetails, let code = details["shown"]?.string,
        let sessionInfo = details["sessionInfo"]?.string
      else { return nil }
      return SentPhoneCode(
        phoneNumber: number, sessionInfo: sessionInfo, code: code, order: details["order"]?.int ?? 0)
    }.sorted { $0.order < $1.order }
  }
}
