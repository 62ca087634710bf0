import HearthEngine
import HearthTree

/// The way back to an address that is about to be taken from an account: drawn before the change, kept and mailed with
/// it.
struct AddressRecovery: Sendable {
  var code: NewCode
  var link: String
  /// What ``Accounts/shownCode(_:_:)`` says of them.
  var shown: String?

  /// What the ticket remembers.
  ///
  /// - Parameter wasVerified: whether the address was proven; who owns it is mailed whatever limits say.
  func details(wasVerified: Bool) -> String? {
    guard wasVerified else { return shown }
    let others = shown.flatMap { JSON(parsing: $0.utf8) }?.members ?? []
    let all = JSON.object([JSON.Member("wasVerified", .bool(true))] + others)
    return String(decoding: all.text(), as: UTF8.self)
  }
}

extension Ticket {
  /// Of a code that takes an address back: whether the address was proven.
  var wasVerified: Bool { details.flatMap { JSON(parsing: $0.utf8) }?["wasVerified"]?.bool ?? false }
}

extension Accounts {
  func newRecovery(_ client: ClientInfo) throws(AccountError) -> AddressRecovery {
    let code = try newCode()
    let link = actionLink(.recoverEmail, code, locale: client.locale)
    return AddressRecovery(code: code, link: link, shown: shownCode(code, link))
  }

  /// The mail with which the former owner of an address takes it back.
  func mailRecovery(
    _ recovery: AddressRecovery, to user: UserRecord, from address: String, client: ClientInfo, now: Instant
  ) {
    guard mails.canSend, let ticket = store.view.ticket(recovery.code.hash), let old = ticket.email else { return }
    guard ticket.wasVerified || throttle.admitMail(to: old, address: client.address, now: now) else { return }
    mails.send(
      MailText(.recoverEmail, to: old, user: user, newEmail: address, link: recovery.link).message(configuration))
  }
}
