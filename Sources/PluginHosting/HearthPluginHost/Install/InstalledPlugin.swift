import HearthPlugin
import HearthTree

/// A plugin in the data folder, and what keeps it from running.
package struct InstalledPlugin: Sendable, Equatable {
  /// Its name.
  package var name: String
  /// What is kept of it; nil when that cannot be read.
  package var record: PluginRecord?
  /// What the version that runs says of itself; nil when that cannot be read.
  package var manifest: PluginManifest?
  /// What the operator set. It may hold secrets.
  package var settings: JSON
  /// What requests to its service are signed with, the newest first.
  package var secrets: [PluginSecret] = []
  /// The reason why it cannot run; nil when it can.
  package var problem: String?

  /// It is to run, and can.
  package var isRunnable: Bool { record?.isEnabled == true && problem == nil }

  /// What the operator admitted of the version that runs.
  var version: PluginRecord.Version? { record.flatMap { $0.versions[$0.current] } }

  /// The settings as they may be shown: of a secret, only that it is set.
  package var shownSettings: [(rule: PluginSettingRule, text: String)] {
    (manifest?.settings ?? []).map { rule in
      let value = settings[rule.name]
      let text: String
      if rule.isSecret {
        text = value == nil ? "(not set)" : "(set)"
      } else {
        text = (value ?? rule.standard).map { String(decoding: $0.text(), as: UTF8.self) } ?? "(not set)"
      }
      return (rule, text)
    }
  }
}

extension InstalledPlugin: CustomStringConvertible, CustomReflectable {
  /// The name; none of the settings.
  package var description: String { "<InstalledPlugin \(name)>" }
  /// Empty, so that a dump shows no more than the description.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
