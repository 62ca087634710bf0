import HearthCrypto
import HearthPlugin

/// A way to find out who a provider's token is about, and that it was made for us.
protocol TokenCheck: Sendable {
  /// - Throws: a refusal with a text that may be shown to the client.
  func identity(of token: ProviderToken) async throws(SignInRefusal) -> ForeignIdentity
}

/// What a client shows of a provider.
struct ProviderToken: Sendable, Redacted {
  var text: String
  /// The other parts of the credential.
  var parameters: [String: String]
  var nowSeconds: Int64
}

/// One provider: which kinds of its tokens count, and how each is checked.
struct OAuthProvider: SignInProvider {
  let id: String
  let displayName: String
  var idTokens: (any TokenCheck)?
  var accessTokens: (any TokenCheck)?
  /// Nil leaves the provider's page to the client.
  var codes: AuthorizationCodeFlow?

  /// Longer texts are no tokens of anybody.
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

  /// An ID token says for itself whom it was made for, so it goes first.
  private func choose(_ parameters: [String: String]) throws(SignInRefusal) -> (any TokenCheck, String) {
    func part(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }
    let chosen: (any TokenCheck, String)
    if let check = idTokens, let text = part("id_token") {
      chosen = (check, text)
    } else if let check = accessTokens, let text = part("access_token") ?? part("oauth_token") {
      chosen = (check, text)
    } else if part("code") != nil {
      throw SignInRefusal(
        .invalidCredential, "A code counts only where this server sent for it; send the provider's token.")
    } else {
      throw SignInRefusal(.invalidCredential, "The credential has no token that counts for \(id).")
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
