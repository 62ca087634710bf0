import HearthPlugin

/// The promises of a plugin's manifest, which its processes must keep.
struct PluginExpectation: Sendable, Equatable {
  var name: String
  var version: String
  var hooks: [PluginHook]

  /// Returns the mistake in a process's greeting; nil when it matches the manifest.
  func problem(with hello: PluginHello) -> String? {
    guard hello.protocolVersion == HostHello.protocolVersion else {
      return "it uses protocol \(hello.protocolVersion), not \(HostHello.protocolVersion)"
    }
    guard hello.name == name else { return "its name is not \(name)" }
    guard hello.version.isEmpty || hello.version == version else { return "its version is not \(version)" }
    let missing = hooks.filter { !hello.hooks.contains($0.rawValue) }
    guard missing.isEmpty else {
      return "it does not answer \(missing.map(\.rawValue).joined(separator: ", ")), which its manifest lists"
    }
    return nil
  }
}
