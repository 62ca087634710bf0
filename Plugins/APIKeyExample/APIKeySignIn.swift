import HearthCrypto
import HearthPlugin
import HearthTree

/// The entry of this folder in the program's list of plugins.
public let builtIn = BuiltInPlugin.signIn(APIKeySignIn.self)

/// A sign-in plugin for API keys of machines: an example of a provider that Firebase does not have.
///
/// The operator makes a key, gives it to a machine, and writes its SHA-256 into the configuration with the uid that it
/// stands for. The configuration does not reveal the key.
public enum APIKeySignIn: SignInPlugin {
  /// The plugin's name, for `signIn.apiKey` in the configuration.
  public static let name = "apiKey"

  /// Returns one provider for all keys of the list `keys`, which must not be empty: `sha256`, `uid`, and optional
  /// `claims`.
  public static func providers(_ settings: PluginSettings) throws(SettingsError) -> [any SignInProvider] {
    let values = try SettingsReader(settings.values, at: "signIn.apiKey", names: ["keys"])
    var users: [String: NamedUser] = [:]
    for entry in try values.objects("keys", names: ["sha256", "uid", "claims"]) {
      let digest = try digest(entry)
      let user = try user(entry)
      guard users.updateValue(user, forKey: digest) == nil else { throw entry.error("sha256", "occurs twice") }
    }
    guard !users.isEmpty else { throw values.error("keys", "must have at least one key") }
    return [APIKeyProvider(users: users)]
  }

  private static func digest(_ entry: SettingsReader) throws(SettingsError) -> String {
    let text = try entry.requiredText("sha256").lowercased()
    guard text.utf8.count == 64, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
      throw entry.error("sha256", "must be 64 hexadecimal digits")
    }
    return text
  }

  private static func user(_ entry: SettingsReader) throws(SettingsError) -> NamedUser {
    let uid = try entry.requiredText("uid")
    guard IDTokenClaims.isUID(uid) else {
      throw entry.error("uid", "must have at most 128 characters and no control characters")
    }
    let claims = entry.json("claims")
    if let claims {
      guard let members = claims.members else { throw entry.error("claims", "must be an object") }
      if let reserved = members.first(where: { IDTokenClaims.reservedNames.contains($0.name) }) {
        throw entry.error("claims", "\(reserved.name) is reserved")
      }
    }
    return NamedUser(uid: uid, claims: claims, signInProvider: APIKeyProvider.id)
  }
}

/// A provider that maps a key to its user.
struct APIKeyProvider: SignInProvider {
  static let id = "apikey"

  /// The users by the hexadecimal SHA-256 of their keys. The duration of a lookup reveals nothing useful, because
  /// clients cannot choose keys by their digests.
  let users: [String: NamedUser]

  let manifest = ProviderManifest(id: id, displayName: "API key", methods: [.credential])

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard request.method == .credential, request.operation == .signIn else {
      return .refused(SignInRefusal(.notAllowed))
    }
    guard let key = request.parameters["key"], (32...256).contains(key.utf8.count) else {
      return .refused(SignInRefusal(.invalidCredential, "the API key is missing, or has the wrong length"))
    }
    guard let user = users[Digest(sha256: key.utf8).hex] else {
      return .refused(SignInRefusal(.invalidCredential, "the API key is unknown"))
    }
    return .user(user)
  }
}
