import HearthPlugin

/// What this folder brings into the program.
public let builtIn = BuiltInPlugin.signIn(AnonymousSignIn.self)

/// Anonymous sign-in: a new account that can be upgraded later.
public enum AnonymousSignIn: SignInPlugin {
  /// `signIn.anonymous` in the configuration.
  public static let name = "anonymous"
  /// On for development: an app under test makes accounts freely, a server that is open to strangers should not by itself.
  public static let defaultUse = DefaultUse.inDevelopment

  /// One provider; there is nothing to set.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    _ = try SettingsReader(settings.values, at: "signIn.anonymous", names: [])
    return [AnonymousProvider()]
  }
}

/// Vouches for nothing and asks for nothing. How many accounts one address may make is the server's to limit.
struct AnonymousProvider: SignInProvider {
  let manifest = ProviderManifest(id: "anonymous", displayName: "Anonymous", methods: [.anonymous])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard request.method == .anonymous, request.operation == .signIn || request.operation == .signUp else {
      return .refused(SignInRefusal(.notAllowed))
    }
    return .anonymous
  }
}
