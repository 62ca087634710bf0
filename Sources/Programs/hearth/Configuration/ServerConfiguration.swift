import HearthAccounts
import HearthCrypto
import HearthDatabase
import HearthPlugin
import HearthProgram
import HearthServer

extension HearthServer.Options {
  /// Creates the configuration of a data folder's server. Later sources override earlier ones: the defaults, the operator's file,
  /// the flags.
  ///
  /// - Parameters:
  ///   - dataDirectory: The existing data folder, in which plugins may store files from their start on.
  ///   - settings: The flags of this run, or those of the folder's last run.
  ///   - ownURL: The URL of the server for links unless `publicURL` is configured; nil for the last one.
  ///   - isEmulator: True when it replaces the official emulator.
  /// - Throws: ``ConfigurationFailure`` or `SettingsError`, with a message for the operator.
  init(dataDirectory: String, settings: FolderSettings, ownURL: String? = nil, isEmulator: Bool = false) throws {
    let accounts = try Self.accounts(
      settings, ownURL: ownURL ?? settings.url ?? "http://localhost:9000", isEmulator: isEmulator)
    self.init(
      dataDirectory: dataDirectory, mode: settings.isDevelopment ? .dev : .serve, accounts: accounts,
      plugins: try PluginSet(accounts, dataDirectory: dataDirectory, isDevelopment: settings.isDevelopment))
    journal = try settings.journalLocation
    if let name = settings.defaultNamespace { defaultNamespace = name }
    (history, recordsAuthors) = (settings.history, settings.recordsAuthors)
    pages = settings.cacheBytes.map { PageCache(sizeBytes: $0) }
  }

  private static func accounts(
    _ settings: FolderSettings, ownURL: String, isEmulator: Bool
  ) throws -> AccountsConfiguration {
    var configuration = AccountsConfiguration(publicURL: ownURL)
    if isEmulator { configuration.applyEmulatorDefaults() }
    if settings.isDevelopment {
      // In development text messages are written to a folder, and cost nothing.
      configuration.phone.regions = .allBut([])
      configuration.phone.secondFactor = true
    }
    if let path = settings.authConfigPath {
      configuration = try read(path, over: configuration)
      guard settings.signIn == nil || configuration.signIn == nil else {
        throw ConfigurationFailure("--sign-in and \"signIn\" in \(path) both set the sign-in methods; keep one")
      }
    }
    if let projectID = settings.projectID { configuration.projectID = projectID }
    if let publicURL = settings.publicURL { configuration.publicURL = publicURL }
    if let names = settings.signIn { configuration.signIn = names.map { PluginChoice($0) } }
    if configuration.signIn == nil, settings.isDevelopment {
      configuration.signIn =
        BuiltInPlugins.signIn.filter { $0.defaultUse.isOn(isDevelopment: true) }.map { PluginChoice($0.name) }
        + [PluginChoice(ProviderID.phone)]
    }
    configuration.trust.firebaseProjects += settings.trustedIssuers.firebaseProjects
    configuration.trust.issuers += settings.trustedIssuers.issuers
    try configuration.validate()
    for i in configuration.trust.firebaseProjects.indices { try readKey(of: &configuration.trust.firebaseProjects[i]) }
    for i in configuration.trust.issuers.indices { try readKey(of: &configuration.trust.issuers[i]) }
    return configuration
  }

  /// Reads the key file for the lookup of an issuer's users.
  private static func readKey(of issuer: inout TrustedIssuer) throws {
    guard let path = issuer.userLookup?.keyFile else { return }
    let text = try TextFile.read(path)
    guard ServiceAccountClient(keyFile: text) != nil else {
      throw ConfigurationFailure("\(path) is not a service account's key file, which keyFile in userLookup must name")
    }
    issuer.userLookup?.key = text
  }

  private static func read(_ path: String, over defaults: AccountsConfiguration) throws -> AccountsConfiguration {
    do {
      return try AccountsConfiguration.parse(Array(try TextFile.read(path).utf8), over: defaults)
    } catch let error as SettingsError {
      throw ConfigurationFailure("\(path): \(error)")
    }
  }
}
