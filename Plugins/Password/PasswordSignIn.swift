import HearthPlugin
import HearthTree

/// What this folder brings into the program.
public let builtIn = BuiltInPlugin.signIn(PasswordSignIn.self)

/// Signing in with an e-mail address and a password, or with a link that was mailed to the address.
public enum PasswordSignIn: SignInPlugin {
  /// `signIn.password` in the configuration.
  public static let name = "password"
  /// On for development: it is what a developer tries first; on a server it needs a mailer to be of use.
  public static let defaultUse = DefaultUse.inDevelopment

  /// One provider, for passwords and for links by mail unless `emailLink` is false. Of new passwords it refuses those that
  /// others would guess, as far as the server's policy says so; `contextWords` adds words that they must not contain.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    let place = "signIn.password"
    guard settings.values["policy"] == nil else {
      throw SettingsError(
        "\(place).policy", "say it as \"passwordPolicy\", outside of signIn; clients are told it, too")
    }
    let values = try SettingsReader(settings.values, at: place, names: ["contextWords", "emailLink"])
    let check = NewPasswordCheck(
      policy: settings.passwordPolicy,
      contextWords: try [settings.projectID] + (values.texts("contextWords") ?? []))
    return [PasswordProvider(newPasswords: check, takesEmailLinks: try values.bool("emailLink") ?? true)]
  }
}

/// Looks at e-mail address and password before the server does the expensive part. It knows no users and no hashes.
struct PasswordProvider: SignInProvider {
  let newPasswords: NewPasswordCheck
  let takesEmailLinks: Bool

  var manifest: ProviderManifest {
    ProviderManifest(
      id: "password", displayName: "E-mail and password",
      methods: takesEmailLinks ? [.password, .emailLink] : [.password])
  }

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    switch request.method {
    case .password: password(request)
    case .emailLink where takesEmailLinks: emailLink(request)
    default: .refused(SignInRefusal(.notAllowed))
    }
  }

  /// A sign-in is not measured by the policy: the password may be from before it, and the stored hash decides. The
  /// password goes on byte for byte, for whatever is trimmed or cut here is a password that others have too.
  private func password(_ request: SignInRequest) -> SignInAnswer {
    let email = request.parameters["email"] ?? ""
    let password = request.parameters["password"] ?? ""
    // The account whose password is changed is known by other means than its address, and may have none.
    if let refusal = Self.problem(email: email), request.operation != .change || !email.isEmpty {
      return .refused(refusal)
    }
    guard !password.isEmpty else { return .refused(SignInRefusal(.missingPassword)) }
    if request.operation != .signIn, let refusal = newPasswords.problem(password: password, email: email) {
      return .refused(refusal)
    }
    return .password(PasswordProof(email: email, password: password))
  }

  private func emailLink(_ request: SignInRequest) -> SignInAnswer {
    let email = request.parameters["email"] ?? ""
    if let refusal = Self.problem(email: email) { return .refused(refusal) }
    guard let code = request.parameters["code"], !code.isEmpty else { return .refused(SignInRefusal(.missingCode)) }
    return .emailCode(EmailCodeProof(email: email, code: code))
  }

  /// What is wrong with an address whatever accounts there are; the server has already made it canonical.
  private static func problem(email: String) -> SignInRefusal? {
    if email.isEmpty { return SignInRefusal(.missingEmail) }
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, email.utf8.count <= 255,
      email.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) })
    else { return SignInRefusal(.invalidEmail) }
    return nil
  }
}
