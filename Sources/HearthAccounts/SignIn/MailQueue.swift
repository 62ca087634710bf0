import HearthPlugin
import Synchronization

/// Mails on their way out. Nobody who asks for one waits for it: the time would tell whether it was sent at all.
final class MailQueue: Sendable {
  /// Mails that wait; each holds a few kilobytes.
  static let waitingMax = 1_000
  private static let timeoutMilliseconds: Int64 = 60_000

  private struct State {
    var waiting: [MailMessage] = []
    var isRunning = false
    var onIdle: [CheckedContinuation<Void, Never>] = []
  }

  private let mailer: (any Mailer)?
  private let notice: @Sendable (AccountsNotice) -> Void
  private let state = Mutex(State())

  init(_ mailer: (any Mailer)?, notice: @escaping @Sendable (AccountsNotice) -> Void) {
    self.mailer = mailer
    self.notice = notice
  }

  /// False when there is no mailer: what is taken goes nowhere then.
  var canSend: Bool { mailer != nil }

  /// Takes a mail and returns at once. One after another they are handed to the mailer.
  func send(_ message: MailMessage) {
    enum Place { case start, wait, full }
    let place = state.withLock { state -> Place in
      guard state.waiting.count < Self.waitingMax else { return .full }
      state.waiting.append(message)
      if state.isRunning { return .wait }
      state.isRunning = true
      return .start
    }
    switch place {
    case .wait: return
    case .full: notice(AccountsNotice(.warning, "a mail (\(message.kind.rawValue)) was dropped: too many wait"))
    case .start: Task(executorPreference: AccountsExecutor.shared) { await self.run() }
    }
  }

  /// Returns when nothing waits any more.
  func idle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        if state.isRunning { state.onIdle.append(continuation) }
        return !state.isRunning
      }
      if isIdle { continuation.resume() }
    }
  }

  private func run() async {
    while let message = next() {
      guard let mailer else { continue }
      let problem =
        await Deadline.run(milliseconds: Self.timeoutMilliseconds) { () -> String in
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

  private func next() -> MailMessage? {
    let (message, idle) = state.withLock { state -> (MailMessage?, [CheckedContinuation<Void, Never>]) in
      if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
      defer { state.onIdle = [] }
      state.isRunning = false
      return (nil, state.onIdle)
    }
    for continuation in idle { continuation.resume() }
    return message
  }
}
