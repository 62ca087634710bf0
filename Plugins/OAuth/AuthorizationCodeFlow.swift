import HearthCrypto
import HearthOutbound
import HearthPlugin
import HearthTree

/// The authorization code flow: sends browsers to a provider's page and redeems the codes that they return with.
struct AuthorizationCodeFlow: Sendable, Redacted {
  /// The provider's authorization and token endpoints.
  enum Endpoints: Sendable {
    case fixed(authorization: String, token: String)
    /// An issuer, with its configuration document that contains both.
    case issuer(String, ProviderDocument<JSON>)
  }

  /// The server's credential at the token endpoint.
  enum Secret: Sendable {
    case text(String)
    /// An assertion that is signed anew each time (Apple).
    case signed(ClientAssertion)

    /// Returns the secret as text.
    ///
    /// - Throws: ``ProviderHTTP/unavailable`` when it cannot be signed.
    func text(nowSeconds: Int64) throws(SignInRefusal) -> String {
      switch self {
      case .text(let text): return text
      case .signed(let assertion):
        guard let text = assertion.text(nowSeconds: nowSeconds) else { throw ProviderHTTP.unavailable }
        return text
      }
    }
  }

  let endpoints: Endpoints
  /// The values that the provider's answers may have in `iss`.
  let issuers: [String]
  let clientID: String
  let clientSecret: Secret
  /// The scopes requested at every sign-in.
  let scopes: [String]
  /// The rule for nonces; nil for a provider without ID tokens, which takes no nonce.
  let nonce: NonceRule?
  /// True when the provider makes the browser post its answer, and requires a request for this (Apple).
  var postsAnswers = false
  let http: ProviderHTTP

  /// Parameters that an app must not set, because the flow sets them.
  private static let reserved: Set<String> = [
    "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
    "code_challenge", "code_challenge_method", "request", "request_uri", "registration", "code", "audience", "resource",
  ]
  private static let codeBytesMax = 4_096

  func authorizationPage(_ request: AuthorizationRequest) async throws(SignInRefusal) -> AuthorizationPage {
    let resolved = try await resolved(nowSeconds: request.nowSeconds)
    let page = resolved.authorization
    var scopes = scopes
    for scope in request.scopes where !scopes.contains(scope) && Self.isScope(scope) { scopes.append(scope) }
    var fields = [
      ("response_type", "code"), ("client_id", clientID), ("redirect_uri", request.redirectURI),
      ("scope", scopes.joined(separator: " ")), ("state", request.state),
      ("code_challenge", request.codeChallenge), ("code_challenge_method", "S256"),
    ]
    if let nonce { fields.append(("nonce", nonce.sent(request.nonce))) }
    if postsAnswers { fields.append(("response_mode", "form_post")) }
    for (name, value) in request.parameters where !Self.reserved.contains(name.lowercased()) {
      fields.append((name, value))
    }
    return AuthorizationPage(
      url: page + (page.contains("?") ? "&" : "?") + ProviderHTTP.form(fields), issuers: issuers,
      namesIssuer: resolved.namesIssuer)
  }

  func credential(_ code: AuthorizationCode) async throws(SignInRefusal) -> [String: String] {
    guard (1...Self.codeBytesMax).contains(code.code.utf8.count) else { throw Self.badCode }
    let answer = try await http.ask(
      .post, try await resolved(nowSeconds: code.nowSeconds).token,
      form: [
        ("grant_type", "authorization_code"), ("code", code.code), ("redirect_uri", code.redirectURI),
        ("code_verifier", code.codeVerifier), ("client_id", clientID),
        ("client_secret", try clientSecret.text(nowSeconds: code.nowSeconds)),
      ])
    // GitHub reports errors with a status of 200.
    guard answer.status == 200, answer.json["error"] == nil else {
      if answer.json["error"]?.string == "invalid_client" {
        throw SignInRefusal(.invalidProviderResponse, "The provider does not know this server's client id and secret.")
      }
      throw (400..<500).contains(answer.status) || answer.status == 200 ? Self.badCode : ProviderHTTP.unavailable
    }
    var parts: [String: String] = [:]
    for name in ["id_token", "access_token", "refresh_token"] {
      if let text = answer.json[name]?.string, !text.isEmpty { parts[name] = text }
    }
    if let seconds = answer.json["expires_in"]?.int { parts["expires_in"] = String(seconds) }
    // A request with a nonce is answered from the ID token only: an access token contains no nonce.
    if nonce != nil {
      guard parts["id_token"] != nil else { throw ProviderHTTP.unavailable }
    } else {
      parts["id_token"] = nil
      guard parts["access_token"] != nil else { throw ProviderHTTP.unavailable }
    }
    return parts
  }

  private static let badCode = SignInRefusal(
    .invalidProviderResponse,
    "The provider refused the code: it was already used, has expired, or is from another provider.")

  /// The provider's endpoints, and its support of RFC 9207.
  private struct ResolvedEndpoints {
    var authorization: String
    var token: String
    var namesIssuer = false
  }

  /// Returns the endpoints. OpenID Connect Discovery 1.0 §4: the document must name exactly the requested issuer.
  private func resolved(nowSeconds: Int64) async throws(SignInRefusal) -> ResolvedEndpoints {
    switch endpoints {
    case .fixed(let authorization, let token): return ResolvedEndpoints(authorization: authorization, token: token)
    case .issuer(let issuer, let configuration):
      let document = try await configuration.value(nowSeconds: nowSeconds)
      guard let page = document["authorization_endpoint"]?.string, let token = document["token_endpoint"]?.string,
        ["https://", "http://"].contains(where: page.hasPrefix), !page.contains("#"),
        page.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), page.utf8.count <= 2_048
      else { throw ProviderHTTP.unavailable }
      // A page over plain HTTP is only for a provider that is reached over plain HTTP, on this machine.
      guard page.hasPrefix("https://") || issuer.hasPrefix("http://") else { throw ProviderHTTP.unavailable }
      return ResolvedEndpoints(
        authorization: page, token: token,
        namesIssuer: document["authorization_response_iss_parameter_supported"]?.bool ?? false)
    }
  }

  /// Returns true for a scope of RFC 6749 §3.3.
  private static func isScope(_ text: String) -> Bool {
    (1...256).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }
}

extension NonceRule {
  /// Returns the nonce to send to the provider, so that its ID token satisfies the rule.
  func sent(_ nonce: String) -> String {
    self == .hashed ? Digest.hexadecimal(Digest(sha256: nonce.utf8).bytes) : nonce
  }
}
