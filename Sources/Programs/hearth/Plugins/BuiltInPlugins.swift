import HearthPlugin

/// The plugins built into this program: those with a folder in `Plugins/`. The build writes the list ``all``.
enum BuiltInPlugins {
  /// The sign-in plugins. Those that are enabled by default are tried in this order, that of their folders' names.
  static var signIn: [any SignInPlugin.Type] {
    all.compactMap { if case .signIn(let plugin) = $0 { plugin } else { nil } }
  }

  /// The plugins that send mail.
  static var mail: [any MailerPlugin.Type] {
    all.compactMap { if case .mailer(let plugin) = $0 { plugin } else { nil } }
  }

  /// The plugins that send text messages.
  static var sms: [any SMSPlugin.Type] {
    all.compactMap { if case .smsSender(let plugin) = $0 { plugin } else { nil } }
  }
}
