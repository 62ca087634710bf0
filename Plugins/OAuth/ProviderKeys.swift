import HearthCrypto
import HearthPlugin
import HearthTree

/// The origin of a provider's keys.
enum ProviderKeySource: Sendable {
  /// The URL of the keys.
  case keySet(url: String)
  /// An issuer whose configuration document contains the keys' URL.
  case issuer(ProviderDocument<JSON>)
}

extension ProviderDocument where Value == ForeignKeySet {
  /// Creates the cached key set of a provider.
  init(
    _ source: ProviderKeySource, http: ProviderHTTP, staleSeconds: Int64 = ProviderDocumentLimits.staleSeconds,
    graceSeconds: Int64 = 0
  ) {
    self.init(staleSeconds: staleSeconds, graceSeconds: graceSeconds) { nowSeconds async throws(SignInRefusal) in
      let url: String
      switch source {
      case .keySet(let named): url = named
      case .issuer(let configuration):
        guard let named = try await configuration.value(nowSeconds: nowSeconds)["jwks_uri"]?.string else {
          throw ProviderHTTP.unavailable
        }
        url = named
      }
      let answer = try await http.ask(.get, url)
      guard answer.status == 200, let keys = try? ForeignKeySet(jwks: answer.json.text()) else {
        throw ProviderHTTP.unavailable
      }
      return (keys, answer.maxAgeSeconds)
    }
  }
}

extension ProviderDocument where Value == ForeignKeySet {
  /// Returns the claims of a token, or its fault. For an unknown key, the keys are fetched again.
  ///
  /// - Throws: A refusal when the keys cannot be fetched.
  func claims(
    of text: String, by verifier: ForeignTokenVerifier, nonce: ForeignNonce, nowSeconds: Int64
  ) async throws(SignInRefusal) -> Result<ClaimValue, ForeignTokenError> {
    func verify(_ keys: ForeignKeySet) -> Result<ClaimValue, ForeignTokenError> {
      Result { () throws(ForeignTokenError) in
        try verifier.verify(text, keys: keys, nonce: nonce, nowSeconds: nowSeconds)
      }
    }
    let result = verify(try await value(nowSeconds: nowSeconds))
    guard case .failure(let error) = result, error.code == .unknownKey else { return result }
    return verify(try await value(nowSeconds: nowSeconds, isStale: true))
  }
}

extension ProviderDocument where Value == JSON {
  /// Creates the cached configuration document of an issuer. OpenID Connect Discovery 1.0 §4: the document must name exactly the
  /// requested issuer.
  init(configurationOf issuer: String, http: ProviderHTTP) {
    self.init { _ async throws(SignInRefusal) in
      let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      let answer = try await http.ask(.get, base + "/.well-known/openid-configuration")
      guard answer.status == 200, let named = answer.json["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8)
      else {
        throw ProviderHTTP.unavailable
      }
      return (answer.json, answer.maxAgeSeconds)
    }
  }
}
