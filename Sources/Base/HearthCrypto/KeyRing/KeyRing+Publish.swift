extension KeyRing {
  /// Returns self-signed certificates of all keys of a kind, newest first, for admin SDKs. A key is published an hour
  /// before it signs.
  public func certificates(_ kind: KeyKind) -> [(kid: String, pem: String)] {
    snapshot.store.file(kind).published(kind)?.certificates ?? []
  }

  /// Returns the certificates as the JSON object `{kid: PEM}` that admin SDKs fetch.
  public func certificatesJSON(_ kind: KeyKind) -> [UInt8] {
    Array(ClaimValue.object(certificates(kind).map { .init($0.kid, .string($0.pem)) }).json.utf8)
  }

  /// Returns the keys of a kind as the text of a JSON Web Key Set.
  public func jwks(_ kind: KeyKind) -> [UInt8] { snapshot.store.file(kind).published(kind)?.jwks ?? [] }

  /// Returns the OpenID discovery document of the project's ID tokens, as JSON.
  ///
  /// - Parameter base: The origin under which this server is reached, such as `https://auth.example.com`. The issuer
  ///   itself is the name in the tokens, whichever server serves them.
  public func discovery(issuer base: String) -> [UInt8] {
    let document = ClaimValue.object([
      .init("issuer", .string(UnverifiedToken.issuerPrefix(.idToken) + projectID)),
      .init("jwks_uri", .string(base + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")),
      .init("response_types_supported", .array([.string("id_token")])),
      .init("subject_types_supported", .array([.string("public")])),
      .init("id_token_signing_alg_values_supported", .array([.string("RS256")])),
    ])
    return Array(document.json.utf8)
  }
}
