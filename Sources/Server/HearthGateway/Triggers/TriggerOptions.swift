import HearthOutbox
import HearthSystem

/// The options of a server's triggers.
package struct TriggerOptions: Sendable {
  /// The storage of the triggers.
  package var files: any SmallFiles
  /// The folder that is theirs alone; nil when nodes share them.
  package var home: String?
  /// The environment of the event sender.
  package var environment: SenderEnvironment
  /// True when events are sent; otherwise they are kept.
  package var isSending: Bool
  /// The address of the functions emulator that gets events, `host:port`; nil when there is none.
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
