/// A provider that people sign in to on its own pages, by OAuth's authorisation-code flow: the server sends the browser
/// there, the provider sends it back with a code, and the code is redeemed for a credential that the provider's
/// ``SignInProvider/answer(_:)`` then judges like any other.
///
/// State, the session of the browser and where the browser goes on to are the server's affair; a provider knows the
/// addresses of its pages and its own client id and secret.
public protocol AuthorizationCodeProvider: SignInProvider {
  /// True when it has what the flow takes. Asked with every request; it must not change. One that says no is as one
  /// that knows no such flow.
  var servesAuthorizationCodes: Bool { get }

  /// The page that the browser is sent to, and the issuers that its answer may name.
  ///
  /// - Throws: ``SignInRefusal`` when it is not to be had, because the provider's own server is down for example.
  func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage

  /// Redeems a code.
  ///
  /// - Returns: the credential's parts, as ``SignInRequest/parameters`` has them: `id_token`, `access_token`, …
  /// - Throws: ``SignInRefusal`` for a code that is not good.
  func credential(_ code: AuthorizationCode) async throws -> [String: String]
}

/// A provider's page, and what its answers say of their issuer (RFC 9207). The server compares before a code is sent anywhere:
/// an answer of another provider must not be taken for one of this.
public struct AuthorizationPage: Sendable, Equatable {
  /// The address that the browser is sent to.
  public var url: String
  /// The issuers that an answer may name in `iss`, compared as text. An answer that names any other one is refused; with an
  /// empty list, every answer that names one.
  public var issuers: [String]
  /// The provider promises to name its issuer in each answer, as `authorization_response_iss_parameter_supported` of its
  /// configuration document says. An answer without `iss` is then refused.
  public var namesIssuer: Bool

  /// A page at that address.
  public init(url: String, issuers: [String], namesIssuer: Bool = false) {
    self.url = url
    self.issuers = issuers
    self.namesIssuer = namesIssuer
  }
}

/// What the browser is sent to a provider's page with.
public struct AuthorizationRequest: Sendable, Equatable {
  /// Comes back with the code. To be passed on as it is.
  public var state: String
  /// What the provider's ID token must hold. To be passed on as it is, or as its digest where the provider's clients do so.
  public var nonce: String
  /// PKCE's S256 challenge.
  public var codeChallenge: String
  /// The place where the provider sends the browser back to; registered there.
  public var redirectURI: String
  /// What the app asks for beside what the provider needs: untrusted texts of visible characters.
  public var scopes: [String]
  /// What else the app wants the provider's page to be told, such as `prompt` and `login_hint`. Untrusted; what the flow
  /// itself says goes before.
  public var parameters: [(name: String, value: String)]

  /// A request as the server makes it, for tests of a provider.
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

  /// Returns true when both say the same.
  public static func == (one: AuthorizationRequest, other: AuthorizationRequest) -> Bool {
    one.state == other.state && one.nonce == other.nonce && one.codeChallenge == other.codeChallenge
      && one.redirectURI == other.redirectURI && one.scopes == other.scopes
      && one.parameters.elementsEqual(other.parameters) { $0 == $1 }
  }
}

/// A code that came back from a provider's page.
public struct AuthorizationCode: Sendable, Equatable {
  /// Untrusted, as everything that comes with a browser.
  public var code: String
  /// What the ``AuthorizationRequest/codeChallenge`` was made of.
  public var codeVerifier: String
  /// The same as in the request for the code.
  public var redirectURI: String
  /// When it is redeemed, in seconds since 1970; for providers to which the server shows something that it signs.
  public var nowSeconds: Int64

  /// A code as the server shows it, for tests of a provider.
  public init(code: String, codeVerifier: String, redirectURI: String, nowSeconds: Int64) {
    self.code = code
    self.codeVerifier = codeVerifier
    self.redirectURI = redirectURI
    self.nowSeconds = nowSeconds
  }
}
