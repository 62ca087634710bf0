import HearthPlugin

/// The plugins that this program was built with: those whose folder is in `Plugins/`. Nothing here names one; the list
/// ``all`` is written by the build.
enum BuiltInPlugins {
  /// The ways to sign in. Those that are on by default are asked in this order, which is that of their folders' names.
  static var signIn: [any SignInPlugin.Type] {
    all.compactMap { if case .signIn(let plugin) = $0 { plugin } else { nil } }
  }

  /// The ways to send mail.
  static var mail: [any MailerPlugin.Type] {
    all.compactMap { if case .mailer(let plugin) = $0 { plugin } else { nil } }
  }

  /// The ways to send text messages.
  static var sms: [any SMSPlugin.Type] {
    all.compactMap { if case .smsSender(let plugin) = $0 { plugin } else { nil } }
  }
}
