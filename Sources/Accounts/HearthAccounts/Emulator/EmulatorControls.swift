import HearthCrypto
import HearthEngine
import HearthTree

/// What an emulator lets test suites do and see, for programs of its own machine.
package struct EmulatorControls: Sendable {
  let context: AccountsContext
  /// The number of every project, by which suites know an emulator's.
  static let projectNumber = "12345"

  /// Deletes every account, and every trace that it was there: test suites use the same uids again.
  ///
  /// - Parameter administrator: the name of who asks, when they have shown who they are.
  package func deleteEverybody(administrator: String?, client: ClientInfo) async throws(AccountError) {
    let who = administrator.map { ", by \($0)" } ?? ""
    let uids = try await context.store.transact { (transaction) throws(AccountError) -> [String] in
      let uids = transaction.users(limit: .max).map(\.uid)
      transaction.deleteEverybody()
      transaction.audit(
        AuditEvent(.userDeleted, client: client, detail: "all \(uids.count) accounts of the emulator\(who)"))
      return uids
    }
    for uid in uids { context.announce(.user(uid: uid), .userDeleted) }
  }

  /// A code that was mailed and still counts.
  package struct ShownCode: Sendable, Redacted {
    /// Whom it was mailed to, or the account's address.
    package let email: String?
    /// For a change of address.
    package let newEmail: String?
    /// What it is for.
    package let purpose: Ticket.Purpose
    /// Its `oobCode`.
    package let code: String
    /// The link in the mail; nil when the ticket does not say.
    package let link: String?
    fileprivate let order: Int64
  }

  /// The codes that were mailed and still count, the oldest first.
  package func mailedCodes(now: Instant) -> [ShownCode] {
    context.store.view.allTickets(limit: context.store.limits.ticketsMax).compactMap { ticket -> ShownCode? in
      guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000),
        let details = ticket.details.flatMap({ JSON(parsing: $0.utf8) }), let code = details["oobCode"]?.string
      else { return nil }
      return ShownCode(
        email: ticket.email, newEmail: ticket.newEmail, purpose: ticket.purpose, code: code,
        link: details["oobLink"]?.string, order: details["order"]?.int ?? 0)
    }.sorted { $0.order < $1.order }
  }

  /// A code that no text message carries.
  package struct ShownPhoneCode: Sendable, Redacted {
    /// E.164.
    package let phoneNumber: String
    /// What the client shows again beside the code.
    package let sessionInfo: String
    /// Six digits.
    package let code: String
    fileprivate let order: Int64
  }

  /// The codes for phone numbers that were not used yet and still count, the oldest first.
  package func phoneCodes(now: Instant) -> [ShownPhoneCode] {
    context.store.view.allTickets(limit: context.store.limits.ticketsMax).compactMap { ticket -> ShownPhoneCode? in
      guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000), let number = ticket.phoneNumber,
        let details = ticket.phoneDetails, let code = details["shown"]?.string,
        let sessionInfo = details["sessionInfo"]?.string
      else { return nil }
      return ShownPhoneCode(
        phoneNumber: number, sessionInfo: sessionInfo, code: code, order: details["order"]?.int ?? 0)
    }.sorted { $0.order < $1.order }
  }
}
