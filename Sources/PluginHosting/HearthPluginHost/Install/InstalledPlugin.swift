import HearthPlugin
import HearthTree

/// A plugin in the data folder, with any problem that keeps it from running.
package struct InstalledPlugin: Sendable, Equatable {
  /// The plugin's name.
  package var name: String
  /// The plugin's record; nil when it cannot be read.
  package var record: PluginRecord?
  /// The manifest of the current version; nil when it cannot be read.
  package var manifest: PluginManifest?
  /// The settings of the operator. They may hold secrets.
  package var settings: JSON
  /// The secrets that sign requests to its service, the newest first.
  package var secrets: [PluginSecret] = []
  /// The reason why the plugin cannot run; nil when it can.
  package var problem: String?

  /// True when the plugin is switched on and can run.
  package var isRunnable: Bool { record?.isEnabled == true && problem == nil }

  /// The record of the current version.
  var version: PluginRecord.Version? { record.flatMap { $0.versions[$0.current] } }

  /// The settings for display: of a secret, only that it is set.
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
