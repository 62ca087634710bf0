import HearthPlugin

/// Signing in as nobody in particular: a fresh account that can be upgraded later.
public enum AnonymousSignIn: SignInPlugin {
  public static let name = "anonymous"
  public static let defaultUse = DefaultUse.inDevelopment

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
