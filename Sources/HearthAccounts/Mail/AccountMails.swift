import HearthEngine
import HearthPlugin

/// Mails to users about what happened to their accounts.
package struct AccountMails: Sendable {
  private let queue: SendQueue<MailMessage>
  private let throttle: Throttle
  private let configuration: LiveConfiguration

  init(_ queue: SendQueue<MailMessage>, throttle: Throttle, configuration: LiveConfiguration) {
    self.queue = queue
    self.throttle = throttle
    self.configuration = configuration
  }

  /// False when there is no mailer: what is sent goes nowhere then.
  package var canSend: Bool { queue.canSend }

  /// Sends the link of a code.
  func send(_ purpose: Ticket.Purpose, to address: String, user: UserRecord?, newEmail: String?, link: String) {
    queue.send(
      MailText(purpose, to: address, user: user, newEmail: newEmail, link: link).message(configuration.value))
  }

  /// A notice to the user's address. The owner of a proven address gets it for as long as the day's notices last, of
  /// which every recipient has a share; for an unproven one, which may belong to a stranger, the limits of an address and
  /// of a client apply too.
  func tell(_ kind: MailMessage.Kind, _ user: UserRecord, client: ClientInfo, now: Instant) {
    guard queue.canSend, let email = user.email else { return }
    guard admits(email, isProven: user.isEmailVerified, client, now) else { return }
    queue.send(MailText(kind, to: email, user: user, newEmail: nil, link: nil).message(configuration.value))
  }

  /// Tells the former owner of an address how to take it back.
  ///
  /// - Parameters:
  ///   - old: the address that was taken from the account.
  ///   - wasVerified: whether it was proven; then only the bound of the day's notices counts.
  func sendRecovery(
    to old: String, wasVerified: Bool, user: UserRecord, newEmail: String, link: String, client: ClientInfo,
    now: Instant
  ) {
    guard queue.canSend, admits(old, isProven: wasVerified, client, now) else { return }
    send(.recoverEmail, to: old, user: user, newEmail: newEmail, link: link)
  }

  /// Tells the owner of an account how to take its new second factor away again.
  func sendRevert(to user: UserRecord, link: String, client: ClientInfo, now: Instant) {
    guard queue.canSend, let email = user.email, admits(email, isProven: true, client, now) else { return }
    send(.revertSecondFactor, to: email, user: user, newEmail: nil, link: link)
  }

  private func admits(_ email: String, isProven: Bool, _ client: ClientInfo, _ now: Instant) -> Bool {
    throttle.admitMail(to: email, .notice, isOwners: isProven, address: client.address, now: now)
  }
}
