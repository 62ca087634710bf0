import HearthCrypto
import HearthPlugin
import HearthTree

/// The record of an installed plugin beside its files: `record.json` in its folder.
///
/// ```json
/// {"isEnabled": true, "current": "1.1.0", "previous": "1.0.0",
///  "versions": {"1.0.0": {"sha256": "9f86…", "hooks": ["exchange"]}, "1.1.0": {"sha256": "2c26…", "hooks": ["exchange"]}}}
/// ```
package struct PluginRecord: Sendable, Equatable {
  /// True when the operator has switched the plugin on.
  package var isEnabled = false
  /// The version that runs.
  package var current: String
  /// The version that a roll-back returns to.
  package var previous: String?
  /// The installed versions by name.
  package var versions: [String: Version]

  /// A version as it was installed.
  package struct Version: Sendable, Equatable {
    /// The checksum of its files.
    package var digest: Digest
    /// The version's hooks. They are stored so that a deciding plugin denies even when its files were changed.
    package var hooks: [PluginHook]
    /// True when its service may be at a private address, and be reached without TLS.
    package var allowsPrivate = false
  }

  static let fileName = "record.json"

  init(current: String) {
    self.current = current
    versions = [:]
  }

  init?(_ bytes: [UInt8]) {
    guard let json = JSON(parsing: bytes), let current = json["current"]?.string,
      PluginManifest.isVersion(current), let versions = json["versions"]?.members
    else { return nil }
    self.current = current
    isEnabled = json["isEnabled"]?.bool ?? false
    previous = json["previous"]?.string.flatMap { PluginManifest.isVersion($0) ? $0 : nil }
    self.versions = [:]
    for version in versions where PluginManifest.isVersion(version.name) {
      guard let digest = version.value["sha256"]?.string.flatMap({ Digest(hex: $0) }) else { continue }
      let hooks = version.value["hooks"]?.array?.compactMap { $0.string.flatMap(PluginHook.init(rawValue:)) }
      self.versions[version.name] = Version(
        digest: digest, hooks: hooks ?? [], allowsPrivate: version.value["allowsPrivate"]?.bool ?? false)
    }
  }

  var text: [UInt8] {
    let versions = versions.sorted { $0.key < $1.key }.map { name, version in
      JSON.Member(
        name,
        .object(
          [
            .init("sha256", .string(version.digest.hex)),
            .init("hooks", .array(version.hooks.map { .string($0.rawValue) })),
          ] + (version.allowsPrivate ? [.init("allowsPrivate", .bool(true))] : [])))
    }
    return
      ([
        "isEnabled": .bool(isEnabled), "current": .string(current), "previous": previous.map { .string($0) } ?? .null,
        "versions": .object(versions),
      ] as JSON).text(pretty: true) + [UInt8(ascii: "\n")]
  }
}
