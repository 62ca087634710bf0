import HearthEngine
import HearthTree

/// A code that was mailed and still counts, as an emulator shows it.
package struct ShownCode: Sendable {
  package var email: String?
  /// For a change of address.
  package var newEmail: String?
  package var purpose: Ticket.Purpose
  package var code: String
  /// The link in the mail; nil when the ticket does not say.
  package var link: String?
  fileprivate var order: Int64
}

/// What an emulator lets test suites do and see.
extension Accounts {
  /// What the emulator keeps for this project, for who may use it: programs of this machine. Nil for all others, and
  /// unless this is an emulator.
  package func emulation(isFromLoopback: Bool) -> Emulation? { isFromLoopback ? emulation : nil }

  /// Deletes every account, and every trace that it was there: test suites use the same uids again.
  ///
  /// - Parameters:
  ///   - emulation: of this project.
  ///   - administrator: the name of who asks, when they have shown who they are.
  package func deleteEverybody(
    _ emulation: Emulation, administrator: String?, client: ClientInfo
  ) async throws(AccountError) {
    let who = administrator.map { ", by \($0)" } ?? ""
    let uids = try await store.transact { (transaction) throws(AccountError) -> [String] in
      let uids = transaction.users(limit: .max).map(\.uid)
      transaction.deleteEverybody()
      transaction.audit(
        AuditEvent(.userDeleted, client: client, detail: "all \(uids.count) accounts of the emulator\(who)"))
      return uids
    }
    emulation.phoneCodes { $0 = PhoneCodes() }
    for uid in uids { onRevocation(.user(uid: uid), .userDeleted) }
  }

  /// What a developer's server keeps with a ticket so that test suites can read it; nil on every other server.
  func shownCode(_ code: NewCode, _ link: String) -> String? {
    guard let emulation else { return nil }
    let order = emulation.nextOrder(nowMilliseconds: environment.clock().wallMilliseconds)
    let details = JSON.object([
      JSON.Member("oobCode", .string(code.text)), JSON.Member("oobLink", .string(link)),
      JSON.Member("order", .int(order)),
    ])
    return String(decoding: details.text(), as: UTF8.self)
  }

  /// The codes that were mailed and still count, the oldest first.
  package func shownCodes(now: Instant) -> [ShownCode] {
    store.view.allTickets(limit: store.limits.ticketsMax).compactMap { ticket -> ShownCode? in
      guard !ticket.isOver(nowSeconds: now.wallMilliseconds / 1000),
        let details = ticket.details.flatMap({ JSON(parsing: $0.utf8) }), let code = details["oobCode"]?.string
      else { return nil }
      return ShownCode(
        email: ticket.email, newEmail: ticket.newEmail, purpose: ticket.purpose, code: code,
        link: details["oobLink"]?.string, order: details["order"]?.int ?? 0)
    }.sorted { $0.order < $1.order }
  }
}
