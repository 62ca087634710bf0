import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree

/// The plugin's part of the configuration.
struct OAuthSettings {
  static let place = "signIn.oauth"
  private static let emailNames = ["emailDomains"]
  private static let secretNames = ["clientSecret", "clientSecretFile"]

  private let values: SettingsReader
  /// The permitted addresses of the providers.
  let policy: OutboundPolicy

  /// True when the settings contain a policy, so that they are useful for issuers that are configured on a running
  /// server.
  var allowsPrivateProviders: Bool { policy != .publicHTTPS }

  init(_ json: JSON) throws(SettingsError) {
    values = try SettingsReader(
      json, at: Self.place,
      names: [
        "google", "apple", "github", "facebook", "twitter", "oidc", "trustedHosts", "allowsPlainHTTP", "authorityFile",
      ])
    policy = OutboundPolicy(
      trustedHosts: Set((try values.texts("trustedHosts") ?? []).map { $0.lowercased() }),
      allowsPlainHTTP: try values.bool("allowsPlainHTTP") ?? false, authorityFile: try values.text("authorityFile"))
  }

  /// The settings of a provider with ID tokens.
  struct IDTokenClient: Redacted {
    /// The app's IDs at the provider, which a token must have as audience.
    var clientIDs: [String]
    /// The secret of the first ID, with which the server signs users in on the provider's page; nil leaves the page to
    /// clients.
    var secret: String?
    var nonce: NonceRule
    var emails: EmailAuthority
  }

  /// The settings of a provider whose access tokens are checked with the app's own key and secret.
  struct SecretClient: Redacted {
    var id: String
    var secret: String
    var emails: EmailAuthority
  }

  /// An OpenID Connect provider of the operator's choice.
  struct Issuer {
    var id: String
    var displayName: String
    var issuer: String
    /// The URL of the issuer's keys; nil to take it from the issuer's configuration document.
    var keysURL: String?
    var client: IDTokenClient
    /// Claims of the ID token that are copied into the tokens of the session.
    var attributes: [String]
  }

  func google() throws(SettingsError) -> IDTokenClient? {
    guard let object = try values.object("google", names: ["clientIDs", "nonce"] + Self.secretNames + Self.emailNames)
    else { return nil }
    return try Self.idTokenClient(object, nonce: .either, emails: .google)
  }

  func apple() throws(SettingsError) -> Apple? {
    let names = ["clientIDs", "nonce", "issuer"] + Apple.pageNames + Self.emailNames
    guard let object = try values.object("apple", names: names) else { return nil }
    return try Apple(object)
  }

  func github() throws(SettingsError) -> SecretClient? {
    try secretClient("github", id: "clientID", secret: "clientSecret")
  }

  func facebook() throws(SettingsError) -> SecretClient? {
    try secretClient("facebook", id: "appID", secret: "appSecret")
  }

  func twitter() throws(SettingsError) -> SecretClient? {
    try secretClient("twitter", id: "consumerKey", secret: "consumerSecret")
  }

  func issuers() throws(SettingsError) -> [Issuer] {
    var issuers: [Issuer] = []
    let names =
      ["id", "displayName", "issuer", "keysURL", "clientIDs", "nonce", "attributes"] + Self.secretNames
      + Self.emailNames
    for object in try values.objects("oidc", names: names) {
      let issuer = try Self.issuer(object)
      guard !issuers.contains(where: { $0.id == issuer.id }) else { throw object.error("id", "occurs twice") }
      issuers.append(issuer)
    }
    return issuers
  }

  private static func issuer(_ object: SettingsReader) throws(SettingsError) -> Issuer {
    let id = try object.requiredText("id")
    let name = id.utf8.dropFirst(5)
    guard id.hasPrefix("oidc."), (1...64).contains(name.count), name.allSatisfy(isNameByte) else {
      throw object.error("id", "must be oidc. followed by lower-case letters, digits, dots and hyphens")
    }
    let issuer = try object.requiredText("issuer")
    guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://"), !issuer.contains("?"), !issuer.contains("#")
    else {
      throw object.error("issuer", "must be a URL without query, exactly as the provider's tokens have it in iss")
    }
    let keysURL = try object.text("keysURL")
    if let keysURL, !keysURL.hasPrefix("https://"), !keysURL.hasPrefix("http://") {
      throw object.error("keysURL", "must be a URL")
    }
    let attributes = try object.texts("attributes") ?? []
    // Refused at the start: otherwise every sign-in by this issuer would fail later.
    if let name = attributes.first(where: IDTokenClaims.isTaken) {
      throw object.error("attributes", "\(name) is reserved: tokens already use it")
    }
    return Issuer(
      id: id, displayName: try object.text("displayName") ?? id, issuer: issuer, keysURL: keysURL,
      client: try idTokenClient(object, nonce: .either, emails: EmailAuthority()), attributes: attributes)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  static func idTokenClient(
    _ object: SettingsReader, furtherID: String? = nil, nonce: NonceRule, emails: EmailAuthority
  ) throws(SettingsError) -> IDTokenClient {
    // Without a client ID every app's tokens would be accepted.
    let ids = (try object.texts("clientIDs") ?? []) + (furtherID.map { [$0] } ?? [])
    guard !ids.isEmpty else {
      throw object.error("clientIDs", "must have at least one of your client ids at the provider")
    }
    var rule = nonce
    if let text = try object.text("nonce") {
      guard let named = NonceRule(rawValue: text) else {
        throw object.error("nonce", "must be one of \(NonceRule.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      rule = named
    }
    return IDTokenClient(
      clientIDs: ids, secret: try object.secret("clientSecret"), nonce: rule, emails: try Self.emails(object, emails))
  }

  private func secretClient(
    _ name: String, id: String, secret: String
  ) throws(SettingsError) -> SecretClient? {
    let names = [id, secret, secret + "File"] + Self.emailNames
    guard let object = try values.object(name, names: names) else { return nil }
    return SecretClient(
      id: try object.requiredText(id), secret: try object.requiredSecret(secret),
      emails: try Self.emails(object, EmailAuthority()))
  }

  private static func emails(
    _ object: SettingsReader, _ authority: EmailAuthority
  ) throws(SettingsError) -> EmailAuthority {
    guard let domains = try object.texts("emailDomains") else { return authority }
    return authority.extended(with: domains)
  }
}
