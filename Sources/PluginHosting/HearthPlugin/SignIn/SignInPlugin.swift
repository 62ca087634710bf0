/// The entry of a sign-in plugin: makes its providers from the configuration, once, when the server starts.
///
/// A plugin module has one type that conforms, usually an enum without cases. The command line names that type in its
/// list of built-in plugins.
public protocol SignInPlugin: SendableMetatype {
  /// The plugin's name in the configuration, under `signIn`: `customToken`. In `--sign-in` it is written
  /// `custom-token`.
  static var name: String { get }

  /// The default use of the plugin, for a configuration that does not name it. ``DefaultUse/never`` unless the plugin
  /// overrides it.
  static var defaultUse: DefaultUse { get }

  /// Makes the plugin's providers. Called once at start, before any client is served, and by commands that open the
  /// folder of a stopped server. It may read files, but must not call other servers yet.
  ///
  /// - Parameter settings: the plugin's part of the configuration, and the server's facts.
  /// - Returns: one provider for each id that the plugin serves. The server does not start when two plugins serve the
  ///   same id.
  /// - Throws: ``SettingsError``, a sentence for the operator; the server does not start then.
  static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider]

  /// Makes the factory for providers of issuers that administrators set up while the server runs. Called once at start,
  /// for every plugin that is built in.
  ///
  /// - Parameter settings: nil when the plugin is not switched on.
  /// - Returns: nil for a plugin without such issuers.
  static func issuerProviders(_ settings: PluginSettings?) throws(SettingsError) -> (any IssuerProviders)?

  /// Makes the verifiers of tokens of trusted issuers. Called at start and when the issuers change, for every plugin
  /// that is built in.
  ///
  /// - Returns: an empty list for a plugin that does not verify such tokens.
  static func tokenVerifiers(of trusted: TrustedIssuers) -> [any TokenVerifier]
}

extension SignInPlugin {
  /// The default: off until the operator names the plugin.
  public static var defaultUse: DefaultUse { .never }

  /// The default: no such issuers.
  public static func issuerProviders(_ settings: PluginSettings?) throws(SettingsError) -> (any IssuerProviders)? {
    nil
  }

  /// The default: no verifiers.
  public static func tokenVerifiers(of trusted: TrustedIssuers) -> [any TokenVerifier] { [] }
}

/// The servers on which a plugin is switched on although the configuration does not name it. A configuration that names
/// any sign-in plugin switches on exactly those that it names; the same holds for mail.
public enum DefaultUse: Sendable {
  /// The plugin is off until the operator names it.
  case never
  /// Servers for development (`hearth dev`), which strangers cannot reach.
  case inDevelopment
  /// The plugin is on for every server: it lets in only users that the operator has enabled by other means.
  case everywhere
}
