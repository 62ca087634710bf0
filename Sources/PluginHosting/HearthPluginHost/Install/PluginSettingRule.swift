import HearthPlugin
import HearthTree

/// A setting that a plugin has, as its manifest describes it.
package struct PluginSettingRule: Sendable, Equatable {
  /// The kind of its value.
  package enum Kind: String, Sendable {
    /// A text.
    case text
    /// A number.
    case number
    /// `true` or `false`.
    case boolean
    /// A list of any values.
    case list
    /// An object.
    case object
  }

  /// The setting's name.
  package var name: String
  /// The kind of its value.
  package var kind: Kind
  /// True when the plugin does not run without the setting.
  package var isRequired: Bool
  /// True when the value is never shown.
  package var isSecret: Bool
  /// The setting's purpose in one line.
  package var help: String
  /// The default value; nil when there is none.
  package var standard: JSON?

  /// The maximum number of settings of one plugin.
  static let countMax = 64
  /// The maximum size of all settings of a plugin together, in bytes.
  package static let bytesMax = 256 << 10

  static func rules(_ manifest: SettingsReader) throws(SettingsError) -> [PluginSettingRule] {
    guard let object = manifest.json("settings") else { return [] }
    guard let members = object.members, members.count <= countMax else {
      throw manifest.error("settings", "must be an object with at most \(countMax) members")
    }
    var rules: [PluginSettingRule] = []
    for member in members {
      let name = member.name
      guard (1...64).contains(name.utf8.count), name == LogLines.printable(name.utf8), !name.contains("=") else {
        throw manifest.error("settings", "has an invalid name")
      }
      let reader = try SettingsReader(
        member.value, at: "plugin.json.settings.\(name)", names: ["type", "isRequired", "isSecret", "help", "default"])
      guard let kind = Kind(rawValue: try reader.requiredText("type")) else {
        throw reader.error("type", "must be text, number, boolean, list or object")
      }
      let rule = PluginSettingRule(
        name: name, kind: kind, isRequired: try reader.bool("isRequired") ?? false,
        isSecret: try reader.bool("isSecret") ?? false,
        help: LogLines.printable((try reader.text("help") ?? "").utf8.prefix(200)), standard: reader.json("default"))
      if let standard = rule.standard, !rule.takes(standard) {
        throw reader.error("default", "must be a \(kind.rawValue)")
      }
      rules.append(rule)
    }
    return rules
  }

  /// Returns true when the value is of the setting's kind.
  package func takes(_ value: JSON) -> Bool {
    switch (kind, value) {
    case (.text, .string), (.number, .int), (.number, .double), (.boolean, .bool), (.list, .array), (.object, .object):
      true
    default: false
    }
  }

  /// Returns the value of a text from a command line; nil when it cannot be one.
  package func value(of text: String) -> JSON? {
    if kind == .text { return .string(text) }
    return JSON(parsing: text.utf8).flatMap { takes($0) ? $0 : nil }
  }
}

extension [PluginSettingRule] {
  /// Returns the settings for the plugin: the operator's values, and defaults.
  func complete(_ set: JSON) -> JSON {
    .object(compactMap { rule in (set[rule.name] ?? rule.standard).map { JSON.Member(rule.name, $0) } })
  }

  /// Returns the required settings that have no value.
  package func missing(in set: JSON) -> [String] {
    filter { $0.isRequired && $0.standard == nil && set[$0.name] == nil }.map(\.name)
  }
}
