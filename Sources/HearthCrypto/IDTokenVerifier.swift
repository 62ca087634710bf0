/// Verifies the ID tokens that this server minted for one project.
///
/// Holds the keys and a cache of tokens whose signature was right; a verifier with other keys has another cache, so
/// removing a key forgets what it signed.
public struct IDTokenVerifier: Sendable {
  private let projectID: String
  private let tenant: String?
  private let keys: IDTokenKeys
  private let cache: VerifiedTokenCache

  /// - Parameter tenant: the tenant whose tokens count; nil for a project without tenants.
  public init(projectID: String, tenant: String? = nil, keys: IDTokenKeys) {
    self.projectID = projectID
    self.tenant = tenant
    self.keys = keys
    cache = VerifiedTokenCache()
  }

  /// - Parameter nowSeconds: seconds since 1970.
  public func verify(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    if let known = try verifyKnown(text, nowSeconds: nowSeconds) { return known }
    return try verify(try TokenReader.readCredential(text), nowSeconds: nowSeconds)
  }

  /// The credential of a token whose signature was found right before; nil when there is none. Its times are checked
  /// again each time.
  func verifyKnown(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential? {
    guard let claims = cache.claims(of: text) else { return nil }
    return try check(claims, nowSeconds: nowSeconds)
  }

  func verify(_ token: UnverifiedToken, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    guard token.isAlgorithm("RS256") else { throw .invalid("ID tokens are RS256") }
    guard let keyID = token.header["kid"]?.string, let key = keys.key(id: keyID) else { throw .invalid("unknown kid") }
    switch key.verify(token.signature, of: token.signedBytes) {
    case .accepted: break
    case .refused: throw .invalid("signature does not fit")
    case .outOfMemory: throw CredentialError(.unavailable, reason: "out of memory in OpenSSL")
    }
    let credential = try check(token.payload, nowSeconds: nowSeconds)
    cache.remember(token)
    return credential
  }

  /// The claims of a token whose signature is right, in the documented order.
  private func check(_ claims: ClaimValue, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    guard claims["aud"] == .string(projectID) else { throw .invalid("aud is another project") }
    guard claims["iss"] == .string(UnverifiedToken.idTokenIssuerPrefix + projectID) else {
      throw .invalid("iss is another issuer")
    }
    guard let uid = claims["sub"]?.string, IDTokenClaims.isUID(uid) else { throw .invalid("sub is not a user id") }
    guard claims["user_id"] == .string(uid) else { throw .invalid("user_id differs from sub") }
    guard let end = claims["exp"]?.seconds else { throw .invalid("exp is not a time") }
    guard nowSeconds < end else { throw .expired("token has ended") }
    let skew = TokenLimits.ownClockSkewSeconds
    guard let issuedAt = claims["iat"]?.seconds, issuedAt - skew <= nowSeconds else {
      throw .invalid("iat is not a past time")
    }
    guard let authTime = claims["auth_time"]?.seconds, authTime - skew <= issuedAt else {
      throw .invalid("auth_time is after iat")
    }
    guard let signIn = claims["firebase"], let provider = signIn["sign_in_provider"]?.string else {
      throw .invalid("no sign_in_provider")
    }
    guard signIn["tenant"] == tenant.map(ClaimValue.string) else { throw .invalid("another tenant") }
    return VerifiedCredential(
      kind: .idToken, authPayload: IDTokenClaims.authPayload(uid: uid, provider: provider, claims: claims),
      expiresAtSeconds: end, claims: claims)
  }
}
