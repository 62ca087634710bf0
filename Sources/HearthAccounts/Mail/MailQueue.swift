import HearthPlugin

/// Mails that wait to be sent. No request waits for its mail: the time of the answer would tell whether one was sent.
final class MailQueue: Sendable {
  /// Mails that wait; each holds a few kilobytes.
  static let waitingMax = 1_000
  private static let timeoutMilliseconds: Int64 = 60_000

  private let plugins: ActivePlugins
  private let notice: @Sendable (AccountsNotice) -> Void
  private let queue = WorkQueue(waitingMax: MailQueue.waitingMax)

  init(_ plugins: ActivePlugins, notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.plugins = plugins
    self.notice = notice
  }

  /// False when there is no mailer: what is taken goes nowhere then.
  var canSend: Bool { plugins.mailer != nil }

  /// Takes a mail and returns at once. One after another they are handed to the mailer.
  func send(_ message: MailMessage) {
    guard let mailer = plugins.mailer else { return }
    let isTaken = queue.add { [notice] in await Self.deliver(message, by: mailer, notice: notice) }
    if !isTaken {
      notice(AccountsNotice(.warning, "a mail (\(message.kind.rawValue)) was dropped: too many wait"))
    }
  }

  /// Returns when nothing waits any more.
  func idle() async { await queue.idle() }

  private static func deliver(
    _ message: MailMessage, by mailer: any Mailer, notice: @Sendable (AccountsNotice) -> Void
  ) async {
    let problem =
      await Deadline.run(milliseconds: timeoutMilliseconds) { () -> String in
        do {
          try await mailer.send(message)
          return ""
        } catch {
          // The contract of mailers: no address, code or link in it.
          return "\(error)"
        }
      } ?? "no answer in time"
    if !problem.isEmpty {
      let reason = PlainText.line(problem, lengthMax: 256)
      notice(AccountsNotice(.error, "a mail (\(message.kind.rawValue)) could not be sent: \(reason)"))
    }
  }
}
