import HearthAccounts
import HearthPlugin

extension PluginSet {
  /// Creates the plugins that a configuration enables.
  ///
  /// - Parameters:
  ///   - configuration: The enabled plugins and their settings.
  ///   - dataDirectory: The existing data folder.
  ///   - isDevelopment: Determines the default plugins when the configuration names none.
  init(_ configuration: AccountsConfiguration, dataDirectory: String, isDevelopment: Bool) throws {
    func settings(_ choice: PluginChoice) -> PluginSettings {
      var settings = PluginSettings(
        values: choice.values, projectID: configuration.projectID, dataDirectory: dataDirectory,
        passwordPolicy: configuration.passwordPolicy)
      settings.pageOrigins = configuration.pageOrigins
      settings.authorizedDomains = configuration.authorizedDomains
      return settings
    }
    let signIn =
      configuration.signIn
      ?? BuiltInPlugins.signIn.filter { $0.defaultUse.isOn(isDevelopment: isDevelopment) }.map { PluginChoice($0.name) }
    var (made, owners): ([any SignInProvider], [String: String]) = ([], [:])
    // Phone numbers are no plugin: the server itself makes their codes.
    for choice in signIn where choice.name != ProviderID.phone {
      for provider in try Self.signInPlugin(choice.name).providers(settings(choice)) {
        let id = provider.manifest.id
        if let other = owners.updateValue(choice.name, forKey: id) {
          throw ConfigurationFailure(
            "the sign-in plugins \(other) and \(choice.name) both serve \(id); disable one of them")
        }
        made.append(provider)
      }
    }
    let mailer =
      configuration.mail.mailer
      ?? BuiltInPlugins.mail.first { $0.defaultUse.isOn(isDevelopment: isDevelopment) }.map { PluginChoice($0.name) }
    let sender =
      configuration.phone.sender
      ?? BuiltInPlugins.sms.first { $0.defaultUse.isOn(isDevelopment: isDevelopment) }.map { PluginChoice($0.name) }
    self.init(
      providers: made, mailer: try mailer.map { try Self.mailPlugin($0.name).mailer(settings($0)) },
      smsSender: try sender.map { try Self.smsPlugin($0.name).sender(settings($0)) })
    for plugin in BuiltInPlugins.signIn where issuers == nil {
      issuers = try plugin.issuerProviders(signIn.first { $0.name == plugin.name }.map(settings))
    }
    let plugins = BuiltInPlugins.signIn
    issuerVerifiers = { trusted in plugins.flatMap { $0.tokenVerifiers(of: trusted) } }
    guard configuration.trust.all.isEmpty || issuerVerifiers?(configuration.trust).isEmpty == false else {
      throw ConfigurationFailure(
        "this program has no plugin that verifies tokens of trusted issuers: build it with Plugins/OAuth")
    }
  }

  private static func signInPlugin(_ name: String) throws -> any SignInPlugin.Type {
    if let plugin = BuiltInPlugins.signIn.first(where: { $0.name == name }) { return plugin }
    throw ConfigurationFailure(
      "there is no sign-in plugin \(name). This program has: \(list(BuiltInPlugins.signIn.map { $0.name })). "
        + "A plugin is built in when its folder is in Plugins/.")
  }

  private static func mailPlugin(_ name: String) throws -> any MailerPlugin.Type {
    if let plugin = BuiltInPlugins.mail.first(where: { $0.name == name }) { return plugin }
    throw ConfigurationFailure(
      "there is no mail plugin \(name). This program has: \(list(BuiltInPlugins.mail.map { $0.name })).")
  }

  private static func smsPlugin(_ name: String) throws -> any SMSPlugin.Type {
    if let plugin = BuiltInPlugins.sms.first(where: { $0.name == name }) { return plugin }
    throw ConfigurationFailure(
      "phone.\(name) is neither a setting nor a plugin that sends messages. This program has: "
        + "\(list(BuiltInPlugins.sms.map { $0.name })). Add your own gateway as a plugin while the server runs."
    )
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
  }
}
