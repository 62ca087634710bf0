import HearthCrypto
import HearthPlugin

/// A verifier of a provider's tokens: it finds the user of a token, and checks that it was issued for this app.
protocol TokenCheck: Sendable {
  /// Returns the identity that a token states.
  ///
  /// - Throws: A refusal with a text for the client.
  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity
}

/// A provider's token in a client's request.
struct ProviderToken: Sendable, Redacted {
  var text: String
  /// All parameters of the credential, including the token.
  var parameters: [String: String]
  var nowSeconds: Int64
}

/// A sign-in provider: the accepted kinds of its tokens, and the check of each.
struct OAuthProvider: SignInProvider {
  let id: String
  let displayName: String
  /// The check of ID tokens; nil when the provider accepts none.
  var idTokens: (any TokenCheck)?
  /// The check of access tokens; nil when the provider accepts none.
  var accessTokens: (any TokenCheck)?
  /// The authorization code flow of the server; nil when the client itself must obtain the provider's token.
  var codes: AuthorizationCodeFlow?

  /// The length of the longest token in bytes; longer texts are refused.
  private static let tokenBytesMax = 16_384

  var manifest: ProviderManifest { ProviderManifest(id: id, displayName: displayName, methods: [.credential]) }

  func answer(_ request: SignInRequest) async throws -> SignInAnswer {
    guard request.method == .credential, request.operation != .change else {
      return .refused(SignInRefusal(.notAllowed))
    }
    do throws(SignInRefusal) {
      let (check, text) = try choose(request.parameters)
      let token = ProviderToken(text: text, parameters: request.parameters, nowSeconds: request.facts.nowSeconds)
      return .identity(try await check.identity(of: token))
    } catch {
      return .refused(error)
    }
  }

  /// Returns the check for the credential. An ID token states its audience itself, so it takes precedence.
  private func choose(_ parameters: [String: String]) throws(SignInRefusal) -> (any TokenCheck, String) {
    func part(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }
    let chosen: (any TokenCheck, String)
    if let check = idTokens, let text = part("id_token") {
      chosen = (check, text)
    } else if let check = accessTokens, let text = part("access_token") ?? part("oauth_token") {
      chosen = (check, text)
    } else if part("code") != nil {
      throw SignInRefusal(
        .invalidCredential, "A code is only valid in this server's own sign-in flow. Send the provider's token.")
    } else {
      throw SignInRefusal(.invalidCredential, "The credential has no valid token for \(id).")
    }
    guard chosen.1.utf8.count <= Self.tokenBytesMax, chosen.1.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw SignInRefusal(.invalidProviderResponse, "The provider's token is malformed.")
    }
    return chosen
  }
}

extension OAuthProvider: AuthorizationCodeProvider {
  var servesAuthorizationCodes: Bool { codes != nil }

  func authorizationPage(_ request: AuthorizationRequest) async throws -> AuthorizationPage {
    guard let codes else { throw SignInRefusal(.notAllowed) }
    return try await codes.authorizationPage(request)
  }

  func credential(_ code: AuthorizationCode) async throws -> [String: String] {
    guard let codes else { throw SignInRefusal(.notAllowed) }
    return try await codes.credential(code)
  }
}
