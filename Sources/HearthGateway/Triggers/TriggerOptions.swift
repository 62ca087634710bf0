import HearthOutbox

/// What a server's triggers are told when it starts.
package struct TriggerOptions: Sendable {
  /// Where they are kept. Made with the first.
  package var folder: String
  /// The way out.
  package var environment: SenderEnvironment
  /// Events are sent; without it they are kept.
  package var isSending: Bool
  /// The emulator of functions that is told of events, `host:port`; nil when there is none.
  package var functionsEmulator: String?
  /// The project's id.
  package var projectID: String

  /// Options of these parts.
  package init(
    folder: String, environment: SenderEnvironment, isSending: Bool, functionsEmulator: String?, projectID: String
  ) {
    (self.folder, self.environment, self.isSending) = (folder, environment, isSending)
    (self.functionsEmulator, self.projectID) = (functionsEmulator, projectID)
  }
}
