import HearthPlugin
import HearthTree

/// A plugin's process that sends mail. What fails for now is tried again until whoever sends gives up.
struct PluginMailer: Mailer {
  /// The wait before the second try; it doubles with each.
  static let waitMilliseconds: Int64 = 1_000
  /// Tries of one mail. Together they take less than the minute that a mailer has.
  static let triesMax = 5

  let handle: PluginHandle
  /// Waits so many milliseconds.
  var pause: @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .milliseconds($0)) }

  func send(_ message: MailMessage) async throws {
    for attempt in 1... {
      do {
        let _: JSON = try await handle.ask(.sendMail, message)
        return
      } catch let error as PluginCallError {
        // What the plugin itself says may hold an address, and is in its own log.
        guard error.isTemporary, attempt < Self.triesMax else { throw PluginMailError(plugin: handle.name) }
        try await pause(Self.waitMilliseconds << (attempt - 1))
      }
    }
  }
}

/// A mail that a plugin did not send.
struct PluginMailError: Error, CustomStringConvertible {
  let plugin: String

  var description: String { "plugin \(plugin) did not take it; hearth plugins logs \(plugin) says more" }
}
