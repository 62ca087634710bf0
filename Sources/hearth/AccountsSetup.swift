import HearthAccounts
import HearthPlugin
import HearthProgram
import HearthServer
import HearthTree

/// Puts the accounts of a deployment together: the operator's file, the flags beside it, and the plugins that this
/// program was built with.
struct AccountsSetup {
  /// What is switched on when nobody says.
  struct Defaults {
    /// Names of sign-in plugins; those that are not built in are left out.
    var signIn: [String]
    var mail: String?

    /// Custom tokens alone: whoever can sign one is a program of the operator's.
    static let serve = Defaults(signIn: ["customToken"], mail: nil)
    /// What a developer tries first, with mails that go nowhere.
    static let dev = Defaults(signIn: ["customToken", "anonymous", "password"], mail: "outbox")
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
  }

  var settings: FolderSettings
  var defaults: Defaults
  var dataDirectory: String
  var isEmulator = false
  var acceptsRawSecrets = true

  /// - Parameter ownURL: where the server will be reached; what links name when nothing else is said.
  func options(ownURL: String) throws -> AccountsOptions {
    var standard = AccountsConfiguration(
      projectID: settings.projectID ?? HearthServer.Options.projectIDDefault,
      publicURL: settings.publicURL ?? ownURL)
    standard.isEmulator = isEmulator
    if isEmulator {
      // As the official emulator begins: refusals tell why, and passwords, which are a suite's own, cost no time.
      standard.protectsFromEnumeration = false
      standard.passwordCost = .developer
    }
    let parsed = try parse(over: standard)
    var configuration = parsed.accounts
    // What was said on the command line counts more than the file.
    if let projectID = settings.projectID { configuration.projectID = projectID }
    if let publicURL = settings.publicURL { configuration.publicURL = publicURL }
    configuration.isEmulator = isEmulator
    try configuration.validate()
    return AccountsOptions(
      configuration: configuration, providers: try providers(parsed, configuration),
      mailer: try mailer(parsed, projectID: configuration.projectID), trustedProxies: parsed.trustedProxies,
      acceptsRawSecrets: acceptsRawSecrets)
  }

  private func parse(over standard: AccountsConfiguration) throws -> AccountsSettings {
    guard let path = settings.authConfigPath else {
      return try AccountsConfiguration.parse(Array("{}".utf8), over: standard)
    }
    do {
      return try AccountsConfiguration.parse(Array(try TextFile.read(path).utf8), over: standard)
    } catch let error as ConfigurationError {
      throw Failure("\(path): \(error)")
    }
  }

  // MARK: Ways to sign in

  private func providers(
    _ parsed: AccountsSettings, _ configuration: AccountsConfiguration
  ) throws -> [any SignInProvider] {
    var providers: [any SignInProvider] = []
    var owners: [String: String] = [:]
    for (name, values) in try chosenSignIn(parsed) {
      guard let plugin = BuiltInPlugins.signIn.first(where: { $0.name == name }) else {
        let known = BuiltInPlugins.signIn.map { $0.name }.sorted().joined(separator: ", ")
        throw Failure(
          "no sign-in plugin is called \(name). This program has: \(known.isEmpty ? "none" : known). "
            + "A plugin is built in when its folder is in Plugins/.")
      }
      let told = try told(name, values, configuration)
      for provider in try plugin.providers(plugged(told, configuration.projectID)) {
        let id = provider.manifest.id
        if let other = owners.updateValue(name, forKey: id) {
          throw Failure("the sign-in plugins \(other) and \(name) both serve \(id); switch one of them off")
        }
        providers.append(provider)
      }
    }
    return providers
  }

  private func chosenSignIn(_ parsed: AccountsSettings) throws -> [(name: String, values: JSON)] {
    if let names = settings.signIn {
      guard parsed.signIn.isEmpty else {
        throw Failure("--sign-in and \"signIn\" in \(settings.authConfigPath ?? "the file") say it twice; keep one")
      }
      return names.map { ($0, .object([])) }
    }
    guard parsed.signIn.isEmpty else {
      return parsed.signIn.map { ($0.name, $0.value) }
    }
    let builtIn = Set(BuiltInPlugins.signIn.map { $0.name })
    return defaults.signIn.filter(builtIn.contains).map { ($0, .object([])) }
  }

  /// What a plugin is told: what the operator says, and what the server knows.
  private func told(_ name: String, _ values: JSON, _ configuration: AccountsConfiguration) throws -> JSON {
    name == "password" ? try Self.password(values, configuration.passwordPolicy) : values
  }

  /// The rules for passwords stand in one place of the file, and both the plugin and the answer to clients follow them.
  private static func password(_ values: JSON, _ policy: AccountsConfiguration.PasswordPolicy) throws -> JSON {
    guard values["policy"] == nil else {
      throw Failure("signIn.password.policy: say it as \"passwordPolicy\", outside of signIn; clients are told it, too")
    }
    let rules = JSON.object([
      .init("lengthMin", .int(Int64(policy.lengthMin))), .init("sizeBytesMax", .int(Int64(policy.sizeBytesMax))),
      .init("requiresLowercase", .bool(policy.requiresLowercase)),
      .init("requiresUppercase", .bool(policy.requiresUppercase)),
      .init("requiresDigit", .bool(policy.requiresDigit)), .init("requiresOther", .bool(policy.requiresOther)),
      .init("refusesCommon", .bool(policy.refusesCommon)), .init("refusesContext", .bool(policy.refusesContext)),
    ])
    return .object((values.members ?? []) + [.init("policy", rules)])
  }

  // MARK: Mail

  private func mailer(_ parsed: AccountsSettings, projectID: String) throws -> (any Mailer)? {
    let chosen: (name: String, values: JSON)
    if let mail = parsed.mail {
      chosen = (mail.name, mail.value)
    } else {
      guard let name = defaults.mail, BuiltInPlugins.mail.contains(where: { $0.name == name }) else { return nil }
      chosen = (name, .object([]))
    }
    guard let plugin = BuiltInPlugins.mail.first(where: { $0.name == chosen.name }) else {
      let known = BuiltInPlugins.mail.map { $0.name }.sorted().joined(separator: ", ")
      throw Failure("no mail plugin is called \(chosen.name). This program has: \(known.isEmpty ? "none" : known).")
    }
    return try plugin.mailer(plugged(chosen.values, projectID))
  }

  private func plugged(_ values: JSON, _ projectID: String) -> PluginSettings {
    PluginSettings(values: values, projectID: projectID, dataDirectory: dataDirectory)
  }
}
