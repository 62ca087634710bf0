import HearthAccounts
import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// The credentials that an emulator accepts: unsigned claims. Used on an emulator only, and for programs of its machine
/// only, since with them a client can sign in as any user.
enum EmulatedCredential {
  /// The longest provider id: ids are names such as `google.com` and `oidc.acme`; every token of the user repeats them.
  private static let providerIDBytesMax = 128

  /// A placeholder for the access token that the provider itself would give.
  static func accessToken(of providerID: String) -> String { "EmulatorAccessToken_\(providerID)" }

  // MARK: Other providers

  /// Returns the identity that a credential of any provider names: `id_token`, or else `access_token`, is a JSON object
  /// of claims or a token whose signature is not checked.
  ///
  /// - Returns: nil when neither is readable as claims, and there is no ID token: only the provider itself can read an
  ///   access token.
  static func identity(
    providerID: String, parameters: [String: String]
  ) throws(AccountError) -> FederatedIdentity? {
    guard providerID.utf8.count <= providerIDBytesMax else {
      throw AccountError(.invalidCredentialOrProvider, "providerId is longer than \(providerIDBytesMax) bytes.")
    }
    let idToken = parameters["id_token"].flatMap { $0.isEmpty ? nil : $0 }
    guard let text = idToken ?? parameters["access_token"], !text.isEmpty else { return nil }
    guard let claims = claims(in: text) else {
      guard idToken != nil else { return nil }
      throw AccountError(
        .invalidProviderResponse, "id_token is neither a JSON object, such as {\"sub\":\"abc\"}, nor a token.")
    }
    switch claims["sub"] {
    case .string(let sub)? where !sub.isEmpty:
      let person = person(sub, providerID, claims)
      guard SAMLPages.serves(providerID) else { return FederatedIdentity(providerID: providerID, person) }
      return try EmulatedAssertion(parameters).identity(of: person, by: providerID)
    case nil, .null?, .string?:
      throw AccountError(.invalidProviderResponse, "id_token has no \"sub\", the id of the user.")
    default: throw AccountError(.invalidProviderResponse, "\"sub\" of id_token must be a string.")
    }
  }

  /// The error for a credential that only the provider itself could read.
  static func unreadable(_ providerID: String) -> AccountError {
    AccountError(
      .notImplemented,
      "The emulator signs in with \(providerID) by id_token, a JSON object of claims or an unsigned token; send that.")
  }

  private static func person(_ sub: String, _ providerID: String, _ claims: JSON) -> ForeignIdentity {
    func text(_ name: String) -> String? { claims[name]?.string }
    var person = ForeignIdentity(rawID: sub, email: text("email"), isEmailVerified: isTrue(claims["email_verified"]))
    person.displayName = text("name")
    person.photoURL = text("picture")
    person.screenName = text("screen_name")
    person.profile = claims
    guard providerID == "google.com" else { return person }
    person.firstName = text("given_name")
    person.lastName = text("family_name")
    person.profile = googleProfile(sub, person)
    return person
  }

  /// Returns Google's userinfo response, which names the claims of its tokens differently.
  private static func googleProfile(_ sub: String, _ person: ForeignIdentity) -> JSON {
    let scope = "https://www.googleapis.com/auth/userinfo."
    var profile = [
      JSON.Member("granted_scopes", .string("openid \(scope)profile" + (person.email == nil ? "" : " \(scope)email"))),
      JSON.Member("id", .string(sub)),
    ]
    func add(_ name: String, _ text: String?) {
      if let text { profile.append(JSON.Member(name, .string(text))) }
    }
    add("name", person.displayName)
    add("given_name", person.firstName)
    add("family_name", person.lastName)
    profile.append(JSON.Member("verified_email", .bool(person.isEmailVerified)))
    add("locale", "en")
    add("email", person.email)
    add("picture", person.photoURL)
    return .object(profile)
  }

  /// Returns true for a value that JavaScript treats as true.
  private static func isTrue(_ value: JSON?) -> Bool {
    switch value {
    case nil, .null?, .bool(false)?, .int(0)?: false
    case .string(let text)?: !text.isEmpty
    default: true
    }
  }

  private static func claims(in text: String) -> JSON? {
    var json = Array(text.utf8)
    if json.first != UInt8(ascii: "{") {
      // Any text is accepted as the signature: suites redact it in tokens that were once real.
      let parts = json.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
      json = payload
    }
    return object(json)
  }

  /// Parses a JSON object that a client sent as a text; nil for any other text.
  static func object(_ json: [UInt8]) -> JSON? {
    var limits = JSONLimits.standard
    limits.nestingMax = 32
    guard let object = JSON(parsing: json, limits: limits), object.members != nil else { return nil }
    return object
  }

  /// Returns the parts of a credential: of `postBody`, and of the address that a provider's page would have redirected to. The
  /// address's fragment takes precedence over `postBody`, and `postBody` over the address's query.
  static func parts(
    requestURI: String, postBody: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    let halves = requestURI.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
    let page = halves[0].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    let fragment = halves.dropFirst().first.flatMap { PercentEncoding.pairs($0) } ?? []
    let query = page.dropFirst().first.flatMap { PercentEncoding.pairs($0) } ?? []
    return fragment + postBody + query
  }

  // MARK: Custom tokens

  /// Returns the account that a custom token names, without verifying signature and times. A plain JSON object is
  /// accepted as well.
  ///
  /// - Returns: nil for any other text, which a plugin may accept.
  static func user(customToken text: String, keys: KeyRing, now: Instant) throws(AccountError) -> NamedUser? {
    var text = text
    if text.utf8.first != UInt8(ascii: "{") {
      guard let token = try? TokenReader.read(text) else { return nil }
      switch token.kind {
      case .unsigned: break
      case .custom: text = token.payload.json
      default: return nil
      }
    }
    let verifier = keys.customTokenVerifier(accounts: [], allowsUnsigned: true)
    do {
      let token = try verifier.verify(text, nowSeconds: now.wallMilliseconds / 1000)
      let claims = token.claims.isEmpty ? nil : JSON(parsing: ClaimValue.object(token.claims).json.utf8)
      return NamedUser(uid: token.uid, claims: claims)
    } catch {
      throw AccountError(AccountError.Code(rawValue: error.code.rawValue) ?? .invalidCustomToken, error.detail)
    }
  }
}
