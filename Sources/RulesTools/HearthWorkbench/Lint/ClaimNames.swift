/// The names of claims in tokens, and common mistakes in them.
enum ClaimNames {
  /// The claims of an ID token that an app cannot define.
  private static let registered = [
    "email", "email_verified", "phone_number", "name", "picture", "sub", "user_id", "auth_time", "iat", "exp", "aud",
    "iss", "firebase",
  ]
  /// Names that are often written by mistake instead of `auth.uid`, without underscores and capitals.
  private static let uidNames: Set<String> = ["id", "uid", "user", "userid", "sub"]

  /// Returns the likely intended expression for `auth.NAME`; nil for a name that the app may define.
  static func path(ofMember name: String) -> String? {
    let plain = plain(name)
    if uidNames.contains(plain) { return "auth.uid" }
    if plain == "provider" { return "auth.provider" }
    if ["token", "tokens", "claims", "customclaims"].contains(plain) { return "auth.token" }
    return claim(named: plain).map { "auth.token." + $0 }
  }

  /// Returns the likely intended expression for `auth.token.NAME`; nil for a name that is correct or that the app may
  /// define.
  static func path(ofClaim name: String) -> String? {
    let plain = plain(name)
    if plain == "signinprovider" { return "auth.token.firebase.sign_in_provider" }
    guard let claim = claim(named: plain), claim != name else { return nil }
    return "auth.token." + claim
  }

  private static func claim(named plain: String) -> String? { registered.first { self.plain($0) == plain } }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
}
