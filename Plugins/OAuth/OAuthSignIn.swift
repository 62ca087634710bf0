import HearthOutbound
import HearthPlugin

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.signIn(OAuthSignIn.self)

/// A sign-in plugin for ID tokens and access tokens that another provider gave the client.
///
/// The client itself handles the provider's page; this plugin has no redirect that could be abused.
public enum OAuthSignIn: SignInPlugin {
  /// The plugin's name, for `signIn.oauth` in the configuration.
  public static let name = "oauth"

  /// Returns a provider for each of `google`, `apple`, `github`, `facebook`, `twitter` and each issuer of `oidc` that
  /// is set; at least one must be, unless the settings are for issuers that are configured on a running server.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    let values = try OAuthSettings(settings.values)
    return try providers(values) { OutboundClient(policy: values.policy, pool: OutboundPool()) }
  }

  /// Returns the factory of providers for issuers that are configured on a running server. The same settings limit the
  /// addresses of their servers; without any these are public addresses over HTTPS.
  public static func issuerProviders(_ settings: PluginSettings?) throws(SettingsError) -> (any IssuerProviders)? {
    let policy = try settings.map { settings throws(SettingsError) in try OAuthSettings(settings.values).policy }
    return OAuthIssuers(policy: policy ?? .publicHTTPS)
  }

  /// Returns a verifier for each trusted issuer, with an HTTP client of its own.
  public static func tokenVerifiers(of trusted: TrustedIssuers) -> [any TokenVerifier] {
    let policy = OutboundPolicy(
      trustedHosts: Set(trusted.trustedHosts), allowsPlainHTTP: trusted.allowsPlainHTTP,
      authorityFile: trusted.authorityFile)
    var groups: [[TrustedIssuer]] = []
    for entry in trusted.all {
      if let i = groups.firstIndex(where: { $0[0].issuer.utf8.elementsEqual(entry.issuer.utf8) }) {
        groups[i].append(entry)
      } else {
        groups.append([entry])
      }
    }
    return groups.map { TrustedIssuerVerifier($0, http: OutboundClient(policy: policy, pool: OutboundPool())) }
  }

  /// Returns the configured providers.
  ///
  /// - Parameter http: Creates the HTTP client of one provider. Each has its own, with its own threads, so that a
  ///   provider that hangs does not affect the users of another.
  static func providers(
    _ settings: OAuthSettings, http: () -> any OutboundHTTP
  ) throws(SettingsError) -> [any SignInProvider] {
    var providers: [any SignInProvider] = []
    var make: OAuthProfiles { OAuthProfiles(http: ProviderHTTP(http: http())) }
    if let google = try settings.google() { providers.append(make.google(google)) }
    if let apple = try settings.apple() { providers.append(make.apple(apple)) }
    if let github = try settings.github() { providers.append(make.github(github)) }
    if let facebook = try settings.facebook() { providers.append(make.facebook(facebook)) }
    if let twitter = try settings.twitter() { providers.append(make.twitter(twitter)) }
    for issuer in try settings.issuers() { providers.append(make.oidc(issuer)) }
    guard !providers.isEmpty || settings.allowsPrivateProviders else {
      throw SettingsError(OAuthSettings.place, "names no provider")
    }
    return providers
  }
}
