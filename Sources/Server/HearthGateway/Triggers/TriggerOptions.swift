import HearthOutbox
import HearthSystem

/// What a server's triggers are told when it starts.
package struct TriggerOptions: Sendable {
  /// The place where they are kept.
  package var files: any SmallFiles
  /// The folder that is theirs alone; nil where nodes share them.
  package var home: String?
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
    files: any SmallFiles, home: String?, environment: SenderEnvironment, isSending: Bool, functionsEmulator: String?,
    projectID: String
  ) {
    (self.files, self.home, self.environment, self.isSending) = (files, home, environment, isSending)
    (self.functionsEmulator, self.projectID) = (functionsEmulator, projectID)
  }
}
