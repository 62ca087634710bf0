import HearthPlugin
import HearthTree

/// The tokens that a plugin verifies, in its manifest: `{"issuers": ["$issuer"], "opaquePrefixes": ["sess_"]}`.
///
/// An entry that begins with `$` stands for the text, or the list of texts, that the operator set under that name.
package struct TokenRule: Sendable, Equatable {
  /// The issuers as in ``TokenSelection/issuers``, with names of settings.
  package var issuers: [String]
  /// The prefixes as in ``TokenSelection/opaquePrefixes``, with names of settings.
  package var opaquePrefixes: [String]

  /// Reads the rule of a manifest; nil for a plugin without such a hook.
  static func read(
    _ manifest: SettingsReader, _ hooks: [PluginHook], _ settings: [PluginSettingRule]
  ) throws(SettingsError) -> TokenRule? {
    let object = try manifest.object("verifies", names: ["issuers", "opaquePrefixes"])
    guard hooks.contains(.verifyToken) else {
      guard object == nil else { throw manifest.error("verifies", "is only allowed with the hook verifyToken") }
      return nil
    }
    guard let object else { throw manifest.error("verifies", "is missing; the hook verifyToken needs it") }
    let rule = TokenRule(
      issuers: try entries("issuers", object, settings), opaquePrefixes: try entries("opaquePrefixes", object, settings)
    )
    guard !rule.issuers.isEmpty || !rule.opaquePrefixes.isEmpty else {
      throw object.error("issuers", "or opaquePrefixes must have an element")
    }
    return rule
  }

  private static func entries(
    _ name: String, _ object: SettingsReader, _ settings: [PluginSettingRule]
  ) throws(SettingsError) -> [String] {
    let entries = try object.texts(name) ?? []
    guard entries.count <= TokenSelection.countMax, entries.allSatisfy(isEntry) else {
      throw object.error(name, "must be at most \(TokenSelection.countMax) strings of visible characters")
    }
    for case let setting? in entries.map(Self.setting) {
      guard let rule = settings.first(where: { $0.name == setting }), rule.kind == .text || rule.kind == .list,
        !rule.isSecret
      else {
        throw object.error(name, "must name a setting that is a text or a list and not secret")
      }
    }
    return entries
  }

  private static func setting(of entry: String) -> String? { entry.hasPrefix("$") ? String(entry.dropFirst()) : nil }

  private static func isEntry(_ text: String) -> Bool {
    text.utf8.count <= TokenSelection.entryBytesMax && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// Returns the tokens that are selected once settings are inserted. A setting whose value cannot be an entry is
  /// skipped.
  func selection(_ settings: JSON) -> TokenSelection {
    TokenSelection(issuers: Self.filled(issuers, settings), opaquePrefixes: Self.filled(opaquePrefixes, settings))
  }

  private static func filled(_ entries: [String], _ settings: JSON) -> [String] {
    let filled = entries.flatMap { entry -> [String] in
      guard let setting = setting(of: entry) else { return [entry] }
      let value = settings[setting]
      let texts = value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
      // An empty text would match all tokens, which an empty setting must not do by accident.
      return texts.filter { !$0.isEmpty && isEntry($0) }
    }
    return Array(filled.prefix(TokenSelection.countMax))
  }

  /// The rule in words, for an operator who reviews the plugin before it is installed.
  package var text: String {
    let parts =
      issuers.map { "JWT of \($0 == "*" ? "any issuer" : $0)" }
      + opaquePrefixes.map { $0.isEmpty ? "other tokens of any form" : "other tokens that begin with \($0)" }
    return parts.joined(separator: ", ")
  }
}
