/// A factory for providers of OpenID Connect issuers that administrators set up while the server runs. The hosts that
/// requests may go to are no part of an issuer: they are the plugin's own setting.
public protocol IssuerProviders: Sendable {
  /// Returns a provider for one issuer. Called again whenever a field of the issuer changed; a provider keeps its own
  /// keys.
  ///
  /// - Parameter issuer: checked for its form alone.
  func provider(of issuer: ConfiguredIssuer) -> any SignInProvider
}

/// An OpenID Connect issuer that an administrator set up. It holds a secret, so its description hides all but the id.
public struct ConfiguredIssuer: Sendable, Equatable {
  /// The provider's id, as tokens and user records show it: `oidc.corp`.
  public var id: String
  /// The name that users see.
  public var displayName: String
  /// The issuer's name in `iss` of its tokens.
  public var issuer: String
  /// The server's client id at the issuer, which its tokens must have as audience.
  public var clientID: String
  /// The client secret; nil when clients open the issuer's page themselves.
  public var clientSecret: String?
  /// The domains whose addresses count as verified by this issuer; `*` is every one.
  public var emailDomains: [String]

  /// Creates an issuer as the server passes it, for tests of a plugin.
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
