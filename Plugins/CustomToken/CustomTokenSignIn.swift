import HearthCrypto
import HearthPlugin
import HearthTree

/// What this folder brings into the program.
public let builtIn = BuiltInPlugin.signIn(CustomTokenSignIn.self)

/// Signing in with a token that one of the project's service accounts has signed.
public enum CustomTokenSignIn: SignInPlugin {
  /// `signIn.customToken` in the configuration.
  public static let name = "customToken"

  /// Whoever can sign a custom token is a program of the operator's, so it opens no door to strangers.
  public static let defaultUse = DefaultUse.everywhere

  /// One provider; there is nothing to set.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    _ = try SettingsReader(settings.values, at: "signIn.customToken", names: [])
    return [CustomTokenProvider()]
  }
}

/// Verifies custom tokens with the keys of the service accounts that the server names.
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
      // Without a code of a client's mistake it is the server that could not decide: no refusal, but a failure.
      guard let code = SignInRefusal.Code(rawValue: error.code.rawValue) else { throw error }
      return .refused(SignInRefusal(code, error.detail))
    }
    let claims = token.claims.isEmpty ? nil : JSON(parsing: ClaimValue.object(token.claims).json.utf8)
    return .user(NamedUser(uid: token.uid, claims: claims, issuedAtSeconds: token.issuedAtSeconds))
  }
}
