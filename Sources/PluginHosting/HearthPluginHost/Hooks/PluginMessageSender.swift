import HearthPlugin
import HearthTree

/// A sender of messages by a plugin. It repeats a temporary failure until the caller's task is cancelled.
struct PluginMessageSender: Sendable {
  /// The wait before the second attempt; it doubles with each.
  static let waitMilliseconds: Int64 = 1_000
  /// The maximum number of attempts for one message. Together they take less than the minute that a message has.
  static let triesMax = 5

  let handle: PluginHandle
  /// Waits for a number of milliseconds.
  var pause: @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }

  /// Sends a message by a hook.
  ///
  /// - Throws: ``PluginSendError`` when the plugin did not take it.
  func send(_ hook: PluginHook, _ message: some Encodable & Sendable) async throws {
    for attempt in 1... {
      do {
        let _: JSON = try await handle.ask(hook, message)
        return
      } catch let error as PluginCallError {
        // The plugin's own message may hold an address, and stays in its own log.
        guard error.isTemporary, attempt < Self.triesMax else { throw PluginSendError(plugin: handle.name) }
        try await pause(Self.waitMilliseconds << (attempt - 1))
      }
    }
  }
}

/// A plugin that sends mail.
struct PluginMailer: Mailer {
  let sending: PluginMessageSender

  func send(_ message: MailMessage) async throws { try await sending.send(.sendMail, message) }
}

/// A plugin that sends text messages.
struct PluginSMSSender: SMSSender {
  let sending: PluginMessageSender

  func send(_ message: SMSMessage) async throws { try await sending.send(.sendSMS, message) }
}

/// A message that a plugin did not send.
struct PluginSendError: Error, CustomStringConvertible {
  let plugin: String

  var description: String { "plugin \(plugin) refused the message; see hearth plugins logs \(plugin)" }
}
