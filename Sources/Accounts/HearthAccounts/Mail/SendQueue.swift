import HearthPlugin

/// A queue of mails or text messages. Client requests do not wait for their messages: the response time would reveal
/// whether one was sent.
package final class SendQueue<Message: Sendable>: Sendable {
  /// Sends one message.
  typealias Sender = @Sendable (Message) async throws -> Void

  /// The maximum length of the queue; each message needs a few kilobytes.
  static var waitingMax: Int { 1_000 }
  private static var timeoutMilliseconds: Int64 { 60_000 }

  private let name: @Sendable (Message) -> String
  private let sender: @Sendable () -> Sender?
  private let notice: @Sendable (AccountsNotice) -> Void
  private let queue = WorkQueue(waitingMax: SendQueue.waitingMax)

  /// - Parameters:
  ///   - name: the name of a message in the log: `a mail (verifyEmail)`.
  ///   - sender: the current sender; nil when there is none.
  init(
    name: @escaping @Sendable (Message) -> String, sender: @escaping @Sendable () -> Sender?,
    notice: @escaping @Sendable (AccountsNotice) -> Void
  ) {
    (self.name, self.sender, self.notice) = (name, sender, notice)
  }

  /// False without a sender: messages are dropped then.
  var canSend: Bool { sender() != nil }

  /// Queues a message and returns at once. The messages are sent one after another.
  ///
  /// - Returns: false without a sender, or when the queue is full.
  @discardableResult
  func send(_ message: Message) -> Bool {
    guard let sender = sender() else { return false }
    return add(message, to: sender) { _ in }
  }

  /// Queues a message and returns when it is sent, or given up.
  ///
  /// - Returns: the reason why it was not sent; nil when it was.
  package func sendAndWait(_ message: Message) async -> String? {
    guard let sender = sender() else {
      return "no sender: enable a plugin that sends it, or name one in the configuration"
    }
    return await withCheckedContinuation { continuation in
      add(message, to: sender) { continuation.resume(returning: $0) }
    }
  }

  /// Waits until the queue is empty.
  func idle() async { await queue.idle() }

  @discardableResult
  private func add(
    _ message: Message, to sender: @escaping Sender, _ whenSent: @escaping @Sendable (String?) -> Void
  ) -> Bool {
    let name = name(message)
    let isTaken = queue.add { [notice] in
      let problem = await Self.deliver(message, by: sender)
      if let problem { notice(AccountsNotice(.error, "\(name) could not be sent: \(problem)")) }
      whenSent(problem)
    }
    if !isTaken {
      notice(AccountsNotice(.warning, "\(name) was dropped: too many messages are waiting"))
      whenSent("too many messages are waiting")
    }
    return isTaken
  }

  private static func deliver(_ message: Message, by sender: @escaping Sender) async -> String? {
    let problem =
      await Deadline.run(milliseconds: timeoutMilliseconds) { () -> String in
        do {
          try await sender(message)
          return ""
        } catch {
          // By the sender contract the error contains no address, number, code or link.
          return "\(error)"
        }
      } ?? "no answer in time"
    return problem.isEmpty ? nil : PlainText.line(problem, lengthMax: 256)
  }
}

extension SendQueue where Message == MailMessage {
  /// Creates the queue of mails, for the active mailer.
  convenience init(_ plugins: ActivePlugins, notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.init(
      name: { "a mail (\($0.kind.rawValue))" },
      sender: { () -> Sender? in
        guard let mailer = plugins.mailer else { return nil }
        return { message in try await mailer.send(message) }
      }, notice: notice)
  }
}

extension SendQueue where Message == SMSMessage {
  /// Creates the queue of text messages, for the active sender.
  convenience init(_ plugins: ActivePlugins, notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.init(
      name: { "a text message (\($0.kind.rawValue))" },
      sender: { () -> Sender? in
        guard let sender = plugins.smsSender else { return nil }
        return { message in try await sender.send(message) }
      }, notice: notice)
  }
}
