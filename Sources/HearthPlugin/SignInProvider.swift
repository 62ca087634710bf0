/// A way to sign in: turns a credential that a client shows into an answer about who that is.
///
/// Everything that goes in and out is a `Codable` value and nothing is shared, so the same provider can live in the
/// server, in a child process or behind a webhook. A provider decides; what it decides is carried out by the server,
/// which alone knows users, hashes and sessions. A provider that throws, or takes longer than the server waits, has
/// refused.
public protocol SignInProvider: Sendable {
  /// What the provider is called and what it needs.
  var manifest: ProviderManifest { get }

  /// Looks at one credential.
  func answer(_ request: SignInRequest) async throws -> SignInAnswer
}

/// What a provider says about itself.
public struct ProviderManifest: Sendable, Codable, Equatable {
  /// The provider's id as tokens and user records show it: `password`, `google.com`, `oidc.example`.
  public var id: String

  /// What people read: "Google".
  public var displayName: String

  /// The ways in that it serves.
  public var methods: Set<SignInMethod>

  /// What it must be told of the server with each request.
  public var needs: Set<ProviderFacts.Need>

  public init(
    id: String, displayName: String, methods: Set<SignInMethod>, needs: Set<ProviderFacts.Need> = []
  ) {
    self.id = id
    self.displayName = displayName
    self.methods = methods
    self.needs = needs
  }
}

/// A kind of credential; it says which parameters a request has.
public enum SignInMethod: String, Sendable, Codable, CaseIterable {
  /// `token`
  case customToken
  /// None.
  case anonymous
  /// `email`, `password`
  case password
  /// `email`, `code`
  case emailLink
  /// Whatever the provider documents: `id_token`, `access_token`, `oauth_token_secret`, `nonce`, `key`, …
  case credential
}
