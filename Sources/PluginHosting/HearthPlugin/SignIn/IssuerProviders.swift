/// Makes providers of OpenID Connect issuers that administrators set up while the server runs. What one is made with says
/// nothing of where requests may go: that is the plugin's own setting.
public protocol IssuerProviders: Sendable {
  /// A provider for one issuer. Called again whenever something of the issuer changed; a provider keeps its own keys.
  ///
  /// - Parameter issuer: checked for its form alone.
  func provider(of issuer: ConfiguredIssuer) -> any SignInProvider
}

/// An OpenID Connect issuer that an administrator set up. It holds a secret, so it prints nothing.
public struct ConfiguredIssuer: Sendable, Equatable {
  /// `oidc.corp`: as tokens and user records show it.
  public var id: String
  /// For people.
  public var displayName: String
  /// As its tokens have it in `iss`.
  public var issuer: String
  /// Ours there: what its tokens must have been made for.
  public var clientID: String
  /// Nil leaves the issuer's page to clients.
  public var clientSecret: String?
  /// Domains whose addresses it is believed to give out; `*` is every one.
  public var emailDomains: [String]

  /// An issuer as the server tells it, for tests of a plugin.
  public init(
    id: String, displayName: String, issuer: String, clientID: String, clientSecret: String? = nil,
    emailDomains: [String] = []
  ) {
    self.id = id
    self.displayName = displayName
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.emailDomains = emailDomains
  }
}
