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

/// The plugins that this program was built with: those whose folder is in `Plugins/`.
enum BuiltInPlugins {
  static var signIn: [any SignInPlugin.Type] {
    var plugins: [any SignInPlugin.Type] = []
    #if PLUGIN_CUSTOM_TOKEN
      plugins.append(CustomTokenSignIn.self)
    #endif
    #if PLUGIN_ANONYMOUS
      plugins.append(AnonymousSignIn.self)
    #endif
    #if PLUGIN_PASSWORD
      plugins.append(PasswordSignIn.self)
    #endif
    #if PLUGIN_OAUTH
      plugins.append(OAuthSignIn.self)
    #endif
    #if PLUGIN_API_KEY_EXAMPLE
      plugins.append(APIKeySignIn.self)
    #endif
    return plugins
  }

  static var mail: [any MailerPlugin.Type] {
    var plugins: [any MailerPlugin.Type] = []
    #if PLUGIN_SMTP_MAIL
      plugins.append(SMTPMail.self)
    #endif
    #if PLUGIN_OUTBOX_MAIL
      plugins.append(OutboxMail.self)
    #endif
    return plugins
  }
}
