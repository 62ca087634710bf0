/// The entry of a plugin that sends text messages: makes the sender from the configuration, once, when the server starts.
public protocol SMSPlugin: SendableMetatype {
  /// The plugin's name in the configuration, under `phone`: `outbox`.
  static var name: String { get }

  /// The time when the plugin is switched on without anybody naming it. ``DefaultUse/never`` unless the plugin says
  /// otherwise.
  static var defaultUse: DefaultUse { get }

  /// Makes the sender. Called as ``SignInPlugin/providers(_:)`` is; no message is sent here.
  ///
  /// - Parameter settings: the plugin's part of the configuration, and what the server knows.
  /// - Throws: ``SettingsError``, which keeps the server from starting with a sentence for the operator.
  static func sender(_ settings: PluginSettings) throws(SettingsError) -> any SMSSender
}

extension SMSPlugin {
  /// Off until the operator names the plugin.
  public static var defaultUse: DefaultUse { .never }
}
