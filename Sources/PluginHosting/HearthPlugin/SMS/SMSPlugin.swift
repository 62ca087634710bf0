/// The entry of a plugin that sends text messages: makes the sender from the configuration, once, when the server
/// starts.
public protocol SMSPlugin: SendableMetatype {
  /// The plugin's name in the configuration, under `phone`: `outbox`.
  static var name: String { get }

  /// The default use of the plugin, for a configuration that does not name it. ``DefaultUse/never`` unless the plugin
  /// overrides it.
  static var defaultUse: DefaultUse { get }

  /// Makes the sender. Called at the same times as ``SignInPlugin/providers(_:)``; must not send messages.
  ///
  /// - Parameter settings: the plugin's part of the configuration, and the server's facts.
  /// - Throws: ``SettingsError``, a sentence for the operator; the server does not start then.
  static func sender(_ settings: PluginSettings) throws(SettingsError) -> any SMSSender
}

extension SMSPlugin {
  /// The default: off until the operator names the plugin.
  public static var defaultUse: DefaultUse { .never }
}
