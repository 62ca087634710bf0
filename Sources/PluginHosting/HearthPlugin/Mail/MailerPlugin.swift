/// The entry of a mailer plugin: makes the mailer from the configuration, once, when the server starts.
public protocol MailerPlugin: SendableMetatype {
  /// The plugin's name in the configuration, under `mail`: `smtp`.
  static var name: String { get }

  /// The time when the plugin is switched on without anybody naming it. ``DefaultUse/never`` unless the plugin says
  /// otherwise.
  static var defaultUse: DefaultUse { get }

  /// Makes the mailer. Called as ``SignInPlugin/providers(_:)`` is; no mail is sent here.
  ///
  /// - Parameter settings: the plugin's part of the configuration, and what the server knows.
  /// - Throws: ``SettingsError``, which keeps the server from starting with a sentence for the operator.
  static func mailer(_ settings: PluginSettings) throws(SettingsError) -> any Mailer
}

extension MailerPlugin {
  /// Off until the operator names the plugin.
  public static var defaultUse: DefaultUse { .never }
}
