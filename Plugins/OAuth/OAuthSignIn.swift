import HearthOutbound
import HearthPlugin

/// What this folder brings into the program.
public let builtIn = BuiltInPlugin.signIn(OAuthSignIn.self)

/// Signing in with what another provider gave the client: an ID token or an access token.
///
/// The provider's own page is the client's affair; there is no redirect here that could lead astray.
public enum OAuthSignIn: SignInPlugin {
  /// `signIn.oauth` in the configuration.
  public static let name = "oauth"

  /// A provider for each of `google`, `apple`, `github`, `facebook`, `twitter` and each issuer of `oidc` that is set; at least
  /// one must be, unless the settings are for issuers that are set up while the server runs.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    let values = try OAuthSettings(settings.values)
    return try providers(values) { OutboundClient(policy: values.policy, pool: OutboundPool()) }
  }

  /// What makes providers of issuers that are set up while the server runs. Where their servers may be is said by the same
  /// settings; without any, at public addresses by https.
  public static func issuerProviders(_ settings: PluginSettings?) throws(SettingsError) -> (any IssuerProviders)? {
    let policy = try settings.map { settings throws(SettingsError) in try OAuthSettings(settings.values).policy }
    return OAuthIssuers(policy: policy ?? .publicHTTPS)
  }

  /// - Parameter http: makes what asks the servers of one provider. Each provider has its own, with threads of its own:
  ///   one that hangs keeps nobody out who comes by another.
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
    guard !providers.isEmpty || settings.saysWhereProvidersAre else {
      throw SettingsError(OAuthSettings.place, "names no provider")
    }
    return providers
  }
}
