/// The entry of a sign-in plugin: makes its providers from the configuration, once, when the server starts.
///
/// A plugin module has one type that conforms, usually an enum without cases. The command line names that type in its
/// list of built-in plugins.
public protocol SignInPlugin: SendableMetatype {
  /// The plugin's name in the configuration, under `signIn`: `customToken`. In `--sign-in` it is written `custom-token`.
  static var name: String { get }

  /// The time when the plugin is switched on without anybody naming it. ``DefaultUse/never`` unless the plugin says
  /// otherwise.
  static var defaultUse: DefaultUse { get }

  /// Makes the plugin's providers. Called once at start, before any client is served, and by commands that open the folder
  /// of a stopped server. Files may be read here; other servers are asked when a credential comes, not now.
  ///
  /// - Parameter settings: the plugin's part of the configuration, and what the server knows.
  /// - Returns: one provider for each id that the plugin serves. Two plugins that serve the same id keep the server from
  ///   starting.
  /// - Throws: ``SettingsError``, which keeps the server from starting with a sentence for the operator.
  static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider]

  /// What makes providers of issuers that administrators set up while the server runs. Called once at start, of every
  /// plugin that is built in.
  ///
  /// - Parameter settings: nil when the plugin is not switched on.
  /// - Returns: nil from a plugin that knows no such issuers.
  static func issuerProviders(_ settings: PluginSettings?) throws(SettingsError) -> (any IssuerProviders)?
}

extension SignInPlugin {
  /// Off until the operator names the plugin.
  public static var defaultUse: DefaultUse { .never }

  /// None.
  public static func issuerProviders(_ settings: PluginSettings?) throws(SettingsError) -> (any IssuerProviders)? {
    nil
  }
}

/// When a plugin is switched on although the configuration does not name it. A configuration that names any sign-in plugin
/// switches on exactly those that it names; the same holds for mail.
public enum DefaultUse: Sendable {
  /// Only when the operator names it.
  case never
  /// On servers for development (`hearth dev`), where strangers have no way in.
  case inDevelopment
  /// On every server: the plugin lets nobody in whom the operator has not enabled by other means.
  case everywhere
}
