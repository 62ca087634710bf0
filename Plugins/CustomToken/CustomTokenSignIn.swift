import HearthCrypto
import HearthPlugin
import HearthTree

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.signIn(CustomTokenSignIn.self)

/// A sign-in plugin for tokens that one of the project's service accounts has signed.
public enum CustomTokenSignIn: SignInPlugin {
  /// The plugin's name, for `signIn.customToken` in the configuration.
  public static let name = "customToken"

  /// Enabled by default everywhere: only programs of the operator can sign custom tokens.
  public static let defaultUse = DefaultUse.everywhere

  /// Returns one provider, which has no settings.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    _ = try SettingsReader(settings.values, at: "signIn.customToken", names: [])
    return [CustomTokenProvider()]
  }
}

/// A provider that verifies custom tokens with the keys of the server's service accounts.
struct CustomTokenProvider: SignInProvider {
  let manifest = ProviderManifest(
    id: "custom", displayName: "Custom token", methods: [.customToken], needs: [.serviceAccounts])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard request.method == .customToken else { return .refused(SignInRefusal(.notAllowed)) }
    let verifier = CustomTokenVerifier(
      projectID: request.facts.projectID,
      accounts: request.facts.serviceAccounts.map { ($0.email, $0.publicKeys) },
      tenant: request.parameters["tenantId"])
    let token: CustomToken
    do {
      token = try verifier.verify(request.parameters["token"] ?? "", nowSeconds: request.facts.nowSeconds)
    } catch {
      // An error without a code for a client's mistake means that the server could not decide: a failure, not a
      // refusal.
      guard let code = SignInRefusal.Code(rawValue: error.code.rawValue) else { throw error }
      return .refused(SignInRefusal(code, error.detail))
    }
    let claims = token.claims.isEmpty ? nil : JSON(parsing: ClaimValue.object(token.claims).json.utf8)
    return .user(NamedUser(uid: token.uid, claims: claims, issuedAtSeconds: token.issuedAtSeconds))
  }
}
