import HearthPlugin

#if PLUGIN_CUSTOM_TOKEN
  import CustomTokenPlugin
#endif
#if PLUGIN_ANONYMOUS
  import AnonymousPlugin
#endif
#if PLUGIN_PASSWORD
  import PasswordPlugin
#endif
#if PLUGIN_OAUTH
  import OAuthPlugin
#endif
#if PLUGIN_API_KEY_EXAMPLE
  import APIKeyExamplePlugin
#endif
#if PLUGIN_SMTP_MAIL
  import SMTPMailPlugin
#endif
#if PLUGIN_OUTBOX_MAIL
  import OutboxMailPlugin
#endif

/// The plugins that this program was built with: those of `Package.swift`'s list whose folder is in `Plugins/`. No other
/// file of the program names one.
enum BuiltInPlugins {
  /// In the order in which those that are on by default are asked.
  @PluginList<any SignInPlugin.Type> static var signIn: [any SignInPlugin.Type] {
    #if PLUGIN_CUSTOM_TOKEN
      CustomTokenSignIn.self
    #endif
    #if PLUGIN_ANONYMOUS
      AnonymousSignIn.self
    #endif
    #if PLUGIN_PASSWORD
      PasswordSignIn.self
    #endif
    #if PLUGIN_OAUTH
      OAuthSignIn.self
    #endif
    #if PLUGIN_API_KEY_EXAMPLE
      APIKeySignIn.self
    #endif
  }

  @PluginList<any MailerPlugin.Type> static var mail: [any MailerPlugin.Type] {
    #if PLUGIN_SMTP_MAIL
      SMTPMail.self
    #endif
    #if PLUGIN_OUTBOX_MAIL
      OutboxMail.self
    #endif
  }
}

/// An array whose elements may stand inside `#if`, which array literals do not take.
@resultBuilder enum PluginList<Entry> {
  static func buildBlock(_ entries: Entry...) -> [Entry] { entries }
}
