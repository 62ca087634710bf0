import HearthPlugin
import HearthTree

/// The declaration of this plugin for the server program, which compiles it in.
public let builtIn = BuiltInPlugin.signIn(PasswordSignIn.self)

/// A sign-in plugin for e-mail addresses with passwords, or with mailed links.
public enum PasswordSignIn: SignInPlugin {
  /// The plugin's name, for `signIn.password` in the configuration.
  public static let name = "password"
  /// Enabled by default only in development. In production it needs a mailer to be useful.
  public static let defaultUse = DefaultUse.inDevelopment

  /// Returns one provider, for passwords, and for mailed links unless `emailLink` is false. It refuses new passwords
  /// that are easy to guess, as far as the server's policy demands; `contextWords` adds words that they must not
  /// contain.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    let place = "signIn.password"
    guard settings.values["policy"] == nil else {
      throw SettingsError(
        "\(place).policy", "belongs in \"passwordPolicy\", outside of signIn; clients can read it as well")
    }
    let values = try SettingsReader(settings.values, at: place, names: ["contextWords", "emailLink"])
    let check = NewPasswordCheck(
      policy: settings.passwordPolicy,
      contextWords: try [settings.projectID] + (values.texts("contextWords") ?? []))
    return [PasswordProvider(newPasswords: check, acceptsEmailLinks: try values.bool("emailLink") ?? true)]
  }
}

/// A provider that checks the form of the address and the password before the server compares hashes. It has no access
/// to users and hashes.
struct PasswordProvider: SignInProvider {
  let newPasswords: NewPasswordCheck
  let acceptsEmailLinks: Bool

  var manifest: ProviderManifest {
    ProviderManifest(
      id: "password", displayName: "E-mail and password",
      methods: acceptsEmailLinks ? [.password, .emailLink] : [.password])
  }

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    switch request.method {
    case .password: password(request)
    case .emailLink where acceptsEmailLinks: emailLink(request)
    default: .refused(SignInRefusal(.notAllowed))
    }
  }

  /// Checks a password. The policy does not apply to sign-ins: the password may be older, and the stored hash decides.
  /// The password is passed on byte for byte, because a trimmed or truncated password would match more than one input.
  private func password(_ request: SignInRequest) -> SignInAnswer {
    let email = request.parameters["email"] ?? ""
    let password = request.parameters["password"] ?? ""
    // For a change of the password, the session or code identifies the account, which may have no address.
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

  /// Returns the refusal of a missing or malformed address; nil for a valid one. The server has already normalized it.
  private static func problem(email: String) -> SignInRefusal? {
    if email.isEmpty { return SignInRefusal(.missingEmail) }
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, email.utf8.count <= 255,
      email.unicodeScalars.allSatisfy({ $0.value > 0x20 && !(0x7F...0x9F).contains($0.value) })
    else { return SignInRefusal(.invalidEmail) }
    return nil
  }
}
