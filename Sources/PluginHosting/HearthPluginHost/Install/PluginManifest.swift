import HearthPlugin
import HearthTree

/// A plugin's manifest, `plugin.json`: its description and its needs.
///
/// ```json
/// {"name": "api-keys", "version": "1.0.0", "protocol": 1, "summary": "API keys for machines",
///  "command": ["python3", "./main.py"], "hooks": ["exchange"],
///  "provider": {"id": "apikey", "displayName": "API key"},
///  "settings": {"keys": {"type": "object", "isRequired": true, "isSecret": true, "help": "SHA-256 of a key → uid"}},
///  "wants": {"workers": 2}}
/// ```
/// With `"url": "https://plugins.example.com/hearth"` in the place of `command` it is a service that is called over
/// HTTP.
package struct PluginManifest: Sendable, Equatable {
  /// The name: lower-case letters, digits and `-`.
  package var name: String
  /// The version: letters, digits, `.`, `-` and `+`. Versions are not compared.
  package var version: String
  /// The purpose in one line.
  package var summary: String
  /// The transport of its messages.
  package var carrier: PluginCarrier
  /// The hooks that the plugin implements.
  package var hooks: [PluginHook]
  /// The sign-in provider that the plugin is; present exactly with ``PluginHook/exchange``.
  package var provider: ProviderManifest?
  /// The language that the plugin translates into rules; present exactly with ``PluginHook/rulesSource``.
  package var rules: RulesLanguageManifest?
  /// The tokens that the plugin verifies; present exactly with ``PluginHook/verifyToken``.
  package var verifies: TokenRule?
  /// The settings that the operator can make.
  package var settings: [PluginSettingRule]
  /// The resources that the plugin needs.
  package var requirements: PluginRequirements

  /// The file's name in a plugin's folder.
  package static let fileName = "plugin.json"
  /// The maximum size of the file in bytes.
  static let bytesMax = 256 << 10

  private static let place = "plugin.json"

  /// Reads a manifest.
  ///
  /// - Throws: ``PluginProblem`` that names the place of the mistake.
  init(_ bytes: [UInt8]) throws(PluginProblem) {
    guard let json = JSON(parsing: bytes) else { throw PluginProblem("\(Self.place) is not JSON") }
    do throws(SettingsError) { try self.init(json) } catch { throw PluginProblem(error.description) }
  }

  private init(_ json: JSON) throws(SettingsError) {
    let reader = try SettingsReader(
      json, at: Self.place,
      names: [
        "name", "version", "protocol", "summary", "command", "url", "authority", "hooks", "provider", "rules",
        "verifies",
        "settings", "wants",
      ])
    name = try reader.requiredText("name")
    guard Self.isName(name) else {
      throw reader.error("name", "must be 1 to 63 lower-case letters, digits and -, and begin with a letter")
    }
    version = try reader.requiredText("version")
    guard Self.isVersion(version) else {
      throw reader.error("version", "must be a version such as 1.0.0, of letters, digits, . - +")
    }
    guard let number = try reader.int("protocol", in: 1...1_000) else { throw reader.error("protocol", "is missing") }
    guard number == Int(HostHello.protocolVersion) else {
      throw reader.error("protocol", "is \(number); this server supports \(HostHello.protocolVersion)")
    }
    summary = LogLines.printable((try reader.text("summary") ?? "").utf8.prefix(200))
    carrier = try PluginCarrier(reader)
    hooks = try Self.hooks(reader)
    provider = try Self.provider(reader, hooks)
    rules = try RulesLanguageManifest(reader, hooks)
    settings = try PluginSettingRule.rules(reader)
    verifies = try TokenRule.read(reader, hooks, settings)
    requirements = try PluginRequirements(reader, isService: carrier.isService)
  }

  private static func hooks(_ reader: SettingsReader) throws(SettingsError) -> [PluginHook] {
    let names = try reader.texts("hooks") ?? []
    let known = PluginHook.allCases.map(\.rawValue).joined(separator: ", ")
    guard !names.isEmpty, Set(names).count == names.count else {
      throw reader.error("hooks", "must list each hook of the plugin once; the hooks are \(known)")
    }
    var hooks: [PluginHook] = []
    for name in names {
      guard let hook = PluginHook(rawValue: name) else {
        throw reader.error(
          "hooks", "has the unknown hook \(LogLines.printable(name.utf8.prefix(64))); the hooks are \(known)")
      }
      hooks.append(hook)
    }
    return hooks
  }

  private static func provider(
    _ reader: SettingsReader, _ hooks: [PluginHook]
  ) throws(SettingsError) -> ProviderManifest? {
    let object = try reader.object("provider", names: ["id", "displayName"])
    guard hooks.contains(.exchange) else {
      guard object == nil else { throw reader.error("provider", "is only allowed with the hook exchange") }
      return nil
    }
    guard let object else { throw reader.error("provider", "is missing; the hook exchange needs it") }
    let id = try object.requiredText("id")
    let isID = id.utf8.count <= 64 && id.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "_") }
    guard isID else { throw object.error("id", "must be 1 to 64 letters, digits and . _ -") }
    let name = LogLines.printable((try object.text("displayName") ?? id).utf8.prefix(100))
    return ProviderManifest(id: id, displayName: name, methods: [.credential])
  }

  /// Returns true when the text can be the name of a plugin, and so of a folder.
  package static func isName(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...63).contains(bytes.count), (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[0]) else {
      return false
    }
    return bytes.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-")
    }
  }

  static func isVersion(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...64).contains(bytes.count), bytes[0] != UInt8(ascii: "."), bytes[0] != UInt8(ascii: "-") else {
      return false
    }
    return bytes.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "+") }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
