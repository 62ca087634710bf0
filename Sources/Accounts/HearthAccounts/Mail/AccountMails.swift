import HearthEngine
import HearthPlugin

/// Mails to users about changes of their accounts.
package struct AccountMails: Sendable {
  private let queue: SendQueue<MailMessage>
  private let throttle: Throttle
  private let configuration: LiveConfiguration

  init(_ queue: SendQueue<MailMessage>, throttle: Throttle, configuration: LiveConfiguration) {
    self.queue = queue
    self.throttle = throttle
    self.configuration = configuration
  }

  /// False without a mailer: mails are dropped then.
  package var canSend: Bool { queue.canSend }

  /// Mails the link of a code.
  func send(_ purpose: Ticket.Purpose, to address: String, user: UserRecord?, newEmail: String?, link: String) {
    queue.send(
      MailText(purpose, to: address, user: user, newEmail: newEmail, link: link).message(configuration.value))
  }

  /// Sends a notice to the user's address. The owner of a proven address gets it within the day's limit for notices, of
  /// which every recipient has a share; for an unproven one, which may belong to a stranger, the limits of an address
  /// and of a client apply too.
  func notify(_ kind: MailMessage.Kind, _ user: UserRecord, client: ClientInfo, now: Instant) {
    guard queue.canSend, let email = user.email else { return }
    guard admits(email, isProven: user.isEmailVerified, client, now) else { return }
    queue.send(MailText(kind, to: email, user: user, newEmail: nil, link: nil).message(configuration.value))
  }

  /// Notifies the owner of the address that an account had before a change of credentials, with the link that reverts
  /// it. For a proven address only the day's limit for notices applies.
  ///
  /// - Parameters:
  ///   - before: the account before the change.
  ///   - user: the account after it.
  ///   - detail: a short description of the change.
  func notify(
    _ kind: MailMessage.Kind, of before: UserRecord, user: UserRecord, detail: String?, link: String?,
    client: ClientInfo, now: Instant
  ) {
    guard queue.canSend, let email = before.email else { return }
    guard admits(email, isProven: before.isEmailVerified, client, now) else { return }
    var text = MailText(kind, to: email, user: user, newEmail: user.email, link: link)
    text.detail = detail
    queue.send(text.message(configuration.value))
  }

  private func admits(_ email: String, isProven: Bool, _ client: ClientInfo, _ now: Instant) -> Bool {
    throttle.admitMail(to: email, .notice, isOwners: isProven, address: client.address, now: now)
  }
}
