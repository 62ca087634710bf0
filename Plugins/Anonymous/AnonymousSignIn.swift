import HearthPlugin

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.signIn(AnonymousSignIn.self)

/// A plugin for anonymous sign-in: a new account that can be upgraded later.
public enum AnonymousSignIn: SignInPlugin {
  /// The plugin's name, for `signIn.anonymous` in the configuration.
  public static let name = "anonymous"
  /// Enabled by default for development: an app under test creates accounts freely, which a public server should not
  /// permit unasked.
  public static let defaultUse = DefaultUse.inDevelopment

  /// Returns one provider, which has no settings.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    _ = try SettingsReader(settings.values, at: "signIn.anonymous", names: [])
    return [AnonymousProvider()]
  }
}

/// A provider that verifies nothing. The server limits how many accounts one address may create.
struct AnonymousProvider: SignInProvider {
  let manifest = ProviderManifest(id: "anonymous", displayName: "Anonymous", methods: [.anonymous])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard request.method == .anonymous, request.operation == .signIn || request.operation == .signUp else {
      return .refused(SignInRefusal(.notAllowed))
    }
    return .anonymous
  }
}
