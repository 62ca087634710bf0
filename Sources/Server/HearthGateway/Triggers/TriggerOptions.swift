import HearthOutbox
import HearthSystem

/// The options of a server's triggers.
package struct TriggerOptions: Sendable {
  /// The storage of the triggers.
  package var files: any SmallFileStore
  /// The folder of the triggers' files; nil when the nodes of a cluster share the triggers.
  package var folder: String?
  /// The environment of the event sender.
  package var environment: SenderEnvironment
  /// True when events are sent; otherwise they are kept.
  package var isSending: Bool
  /// The address of the functions emulator that gets events, `host:port`; nil when there is none.
  package var functionsEmulator: String?
  /// The project's id.
  package var projectID: String

  /// Creates options with these parts.
  package init(
    files: any SmallFileStore, folder: String?, environment: SenderEnvironment, isSending: Bool,
    functionsEmulator: String?,
    projectID: String
  ) {
    (self.files, self.folder, self.environment, self.isSending) = (files, folder, environment, isSending)
    (self.functionsEmulator, self.projectID) = (functionsEmulator, projectID)
  }
}
