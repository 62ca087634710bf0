import HearthPlugin
import HearthTree
import HearthWebAuthn

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.signIn(PasskeySignIn.self)

/// A sign-in plugin for passkeys (WebAuthn).
public enum PasskeySignIn: SignInPlugin {
  /// The plugin's name, for `signIn.passkey` in the configuration.
  public static let name = "passkey"
  /// Enabled by default for development: `http://localhost` suffices to try it, and it does not affect users without a
  /// passkey.
  public static let defaultUse = DefaultUse.inDevelopment

  /// Returns one provider, for the relying party in the settings.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    let values = try SettingsReader(
      settings.values, at: "signIn.passkey",
      names: ["relyingPartyID", "relyingPartyName", "origins", "userVerification", "requiredOnceEnrolled", "keysMax"])
    let id = try values.text("relyingPartyID")?.lowercased() ?? PasskeyDomains.relyingPartyID(of: settings.pageOrigins)
    guard PasskeyDomains.isDomain(id) else {
      throw values.error(
        "relyingPartyID", "must be a domain such as example.com, without https:// or a port, not \(id)")
    }
    var party = PasskeyRelyingParty(id: id, name: try values.text("relyingPartyName") ?? settings.projectID)
    switch try values.text("userVerification") {
    case nil, "required"?: party.requiresUserVerification = true
    case "preferred"?: party.requiresUserVerification = false
    default: throw values.error("userVerification", "must be \"required\" or \"preferred\"")
    }
    party.isRequiredOnceEnrolled = try values.bool("requiredOnceEnrolled") ?? false
    party.keysMax = try values.int("keysMax", in: 1...50) ?? party.keysMax
    return [WebAuthnPasskeys(party, origins: try origins(values, id, settings))]
  }

  /// Returns the configured origins, or by default the pages with sign-ins and the permitted link domains within the
  /// relying party's domain.
  private static func origins(
    _ values: SettingsReader, _ id: String, _ settings: PluginSettings
  ) throws(SettingsError) -> AllowedOrigins {
    let isLocal = id == "localhost"
    guard let named = try values.texts("origins") else {
      let found = settings.pageOrigins + settings.authorizedDomains.map { "https://" + $0 }
      let within = found.filter { PasskeyDomains.host(of: $0).map { PasskeyDomains.covers(id, $0) } ?? false }
      return AllowedOrigins(exact: Set(within).union(isLocal ? [] : ["https://\(id)"]), allowsLocalhost: isLocal)
    }
    for (index, origin) in named.enumerated() where !origin.hasPrefix("android:apk-key-hash:") {
      guard let host = PasskeyDomains.host(of: origin), PasskeyDomains.covers(id, host) else {
        throw values.error(
          "origins[\(index)]",
          "must be https:// and \(id) or a name below it, without a path, or android:apk-key-hash: and the app's hash")
      }
    }
    return AllowedOrigins(exact: Set(named), allowsLocalhost: isLocal)
  }
}
