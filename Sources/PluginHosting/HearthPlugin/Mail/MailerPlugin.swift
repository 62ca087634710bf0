/// The entry of a mailer plugin: makes the mailer from the configuration, once, when the server starts.
public protocol MailerPlugin: SendableMetatype {
  /// The plugin's name in the configuration, under `mail`: `smtp`.
  static var name: String { get }

  /// The default use of the plugin, for a configuration that does not name it. ``DefaultUse/never`` unless the plugin
  /// overrides it.
  static var defaultUse: DefaultUse { get }

  /// Makes the mailer. Called at the same times as ``SignInPlugin/providers(_:)``; must not send mail.
  ///
  /// - Parameter settings: the plugin's part of the configuration, and the server's facts.
  /// - Throws: ``SettingsError``, a sentence for the operator; the server does not start then.
  static func mailer(_ settings: PluginSettings) throws(SettingsError) -> any Mailer
}

extension MailerPlugin {
  /// The default: off until the operator names the plugin.
  public static var defaultUse: DefaultUse { .never }
}
