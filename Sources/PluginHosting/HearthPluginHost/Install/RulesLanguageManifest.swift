import HearthPlugin

/// `rules` of a `plugin.json`: the language that the plugin translates into rules.
///
/// ```json
/// {"extensions": ["bolt"]}
/// ```
package struct RulesLanguageManifest: Sendable, Equatable {
  /// The extensions of its files, without the point: lower-case letters and digits, and none of them `json`.
  package var extensions: [String]

  /// The maximum number of extensions of one language.
  private static let countMax = 8

  /// Reads `rules` of a manifest; nil for a plugin without such a hook.
  init?(_ manifest: SettingsReader, _ hooks: [PluginHook]) throws(SettingsError) {
    let object = try manifest.object("rules", names: ["extensions"])
    guard hooks.contains(.rulesSource) else {
      guard object == nil else { throw manifest.error("rules", "is only allowed with the hook rulesSource") }
      return nil
    }
    guard let object else { throw manifest.error("rules", "is missing; the hook rulesSource needs it") }
    extensions = try object.texts("extensions") ?? []
    guard (1...Self.countMax).contains(extensions.count), extensions.allSatisfy(Self.isExtension) else {
      throw object.error(
        "extensions", "must be 1 to \(Self.countMax) file name extensions, such as bolt, except json")
    }
  }

  private static func isExtension(_ text: String) -> Bool {
    (1...16).contains(text.utf8.count) && text != "json"
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  /// Returns true when a file of that name is in the language.
  package func takes(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return extensions.contains { name.lowercased().hasSuffix(".\($0)") }
  }
}
