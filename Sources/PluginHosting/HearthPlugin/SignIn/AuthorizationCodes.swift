/// A provider with sign-in pages of its own, by OAuth's authorisation-code flow: the server sends the browser there,
/// the provider sends it back with a code, and the code is redeemed for a credential that the provider's
/// ``SignInProvider/answer(_:)`` then judges like any other.
///
/// The server keeps the state, the browser's session and the page to continue to; a provider has the URLs of its pages
/// and its own client id and secret.
public protocol AuthorizationCodeProvider: SignInProvider {
  /// True when the provider supports the flow. Read with every request; it must not change. With false the provider
  /// counts as one without the flow.
  var servesAuthorizationCodes: Bool { get }

  /// Returns the page that the browser is sent to, and the issuers that its answer may name.
  ///
  /// - Throws: ``SignInRefusal`` when the page is unavailable, because the provider's own server is down for example.
  func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage

  /// Redeems a code.
  ///
  /// - Returns: the credential's parts, as ``SignInRequest/parameters`` has them: `id_token`, `access_token`, …
  /// - Throws: ``SignInRefusal`` for an invalid code.
  func credential(_ code: AuthorizationCode) async throws -> [String: String]
}

/// A provider's page, and the issuer that its answers name (RFC 9207). The server compares before it sends a code to
/// any server: an answer of another provider must not be taken for one of this.
public struct AuthorizationPage: Sendable, Equatable {
  /// The address that the browser is sent to.
  public var url: String
  /// The issuers that an answer may name in `iss`, compared as text. An answer that names any other one is refused;
  /// with an empty list, every answer that names one.
  public var issuers: [String]
  /// True when the provider promises to name its issuer in each answer, as
  /// `authorization_response_iss_parameter_supported` of its configuration document says. An answer without `iss` is
  /// then refused.
  public var namesIssuer: Bool

  /// Creates a page at the given address.
  public init(url: String, issuers: [String], namesIssuer: Bool = false) {
    self.url = url
    self.issuers = issuers
    self.namesIssuer = namesIssuer
  }
}

/// The parameters with which the browser is sent to a provider's page.
public struct AuthorizationRequest: Sendable, Equatable {
  /// The state, which comes back with the code. A provider passes it on as it is.
  public var state: String
  /// The nonce that the provider's ID token must hold. A provider passes it on as it is, or as its digest where its
  /// clients do so.
  public var nonce: String
  /// PKCE's S256 challenge.
  public var codeChallenge: String
  /// The registered URL that the provider sends the browser back to.
  public var redirectURI: String
  /// The scopes that the app requests beside those the provider needs: untrusted texts of visible characters.
  public var scopes: [String]
  /// The further parameters that the app sets for the provider's page, such as `prompt` and `login_hint`. Untrusted;
  /// the flow's own parameters take precedence.
  public var parameters: [(name: String, value: String)]
  /// The time of the request, in seconds since 1970; for the lifetime of a provider's cached documents.
  public var nowSeconds: Int64 = 0

  /// Creates a request as the server makes it, for tests of a provider.
  public init(
    state: String, nonce: String, codeChallenge: String, redirectURI: String, scopes: [String] = [],
    parameters: [(name: String, value: String)] = []
  ) {
    self.state = state
    self.nonce = nonce
    self.codeChallenge = codeChallenge
    self.redirectURI = redirectURI
    self.scopes = scopes
    self.parameters = parameters
  }

  /// Returns true when both requests are equal.
  public static func == (one: AuthorizationRequest, other: AuthorizationRequest) -> Bool {
    one.state == other.state && one.nonce == other.nonce && one.codeChallenge == other.codeChallenge
      && one.redirectURI == other.redirectURI && one.scopes == other.scopes
      && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
  }
}

/// A code that came back from a provider's page.
public struct AuthorizationCode: Sendable, Equatable {
  /// The code. Untrusted, as all input of a browser.
  public var code: String
  /// The verifier whose digest is ``AuthorizationRequest/codeChallenge``.
  public var codeVerifier: String
  /// The same URL as in the request for the code.
  public var redirectURI: String
  /// The time of the redemption, in seconds since 1970; for providers to which the server sends a signed assertion.
  public var nowSeconds: Int64

  /// Creates a code as the server shows it, for tests of a provider.
  public init(code: String, codeVerifier: String, redirectURI: String, nowSeconds: Int64) {
    self.code = code
    self.codeVerifier = codeVerifier
    self.redirectURI = redirectURI
    self.nowSeconds = nowSeconds
  }
}
