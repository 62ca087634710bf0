/// A verifier of the ID tokens that this server issued for one project, or of its session cookies, which have the same
/// claims but another issuer and other keys.
///
/// It has a cache of tokens with a verified signature. A verifier with other keys has another cache, so that the tokens
/// of a removed key are no longer cached.
public struct IDTokenVerifier: Sendable {
  private let projectID: String
  private let tenant: String?
  private let keys: @Sendable () throws -> SigningKeys?
  private let kind: KeyKind
  private let issuer: String
  private let seal: TokenSeal?
  private let cache: VerifiedTokenCache

  /// - Parameters:
  /// - tenant: The tenant whose tokens are accepted; nil for a project without tenants.
  /// - keys: The keys of the kind.
  public init(projectID: String, tenant: String? = nil, keys: SigningKeys, kind: KeyKind = .idToken) {
    self.init(projectID: projectID, tenant: tenant, keys: { keys }, kind: kind, seal: nil)
  }

  /// - Parameters:
  /// - keys: Returns the keys that tokens can have been signed with; nil while there are none.
  /// - seal: The seal that replaces the signature of an emulator's tokens; nil for a production server.
  init(
    projectID: String, tenant: String? = nil, keys: @escaping @Sendable () throws -> SigningKeys?,
    kind: KeyKind = .idToken, seal: TokenSeal?
  ) {
    self.seal = seal
    self.projectID = projectID
    self.tenant = tenant
    self.keys = keys
    self.kind = kind
    issuer = UnverifiedToken.issuerPrefix(kind) + projectID
    cache = VerifiedTokenCache()
  }

  /// - Parameter nowSeconds: The time in seconds since 1970.
  public func verify(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    if let known = try verifyKnown(text, nowSeconds: nowSeconds) { return known }
    return try verify(try TokenReader.readCredential(text), nowSeconds: nowSeconds)
  }

  /// Returns the credential of a token whose signature was verified before; nil when it is not in the cache. The
  /// token's times are checked each time.
  func verifyKnown(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential? {
    guard let known = cache.entry(of: text) else { return nil }
    return try check(known.claims, keyID: known.keyID, nowSeconds: nowSeconds)
  }

  /// Returns true when the token was issued by this emulator, with a seal instead of a signature.
  func isSealed(_ token: UnverifiedToken) -> Bool { seal?.verifies(token, kind) ?? false }

  func verify(_ token: UnverifiedToken, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    if isSealed(token) { return try check(token.payload, keyID: nil, nowSeconds: nowSeconds) }
    guard token.isAlgorithm("RS256") else { throw .invalid("the algorithm must be RS256") }
    let found: SigningKeys?
    do { found = try keys() } catch { throw CredentialError(.unavailable, reason: "the signing keys cannot be read") }
    // A server without keys has not signed any tokens yet.
    guard let keyID = token.header["kid"]?.string, let key = found?.key(id: keyID) else {
      throw .invalid("unknown kid")
    }
    switch key.verify(token.signature, of: token.signedBytes) {
    case .accepted: break
    case .refused: throw .invalid("the signature does not match")
    case .outOfMemory: throw CredentialError(.unavailable, reason: "out of memory in OpenSSL")
    }
    let credential = try check(token.payload, keyID: keyID, nowSeconds: nowSeconds)
    cache.remember(token, keyID: keyID)
    return credential
  }

  /// Checks the claims of a token with a verified signature, in the documented order.
  private func check(
    _ claims: ClaimValue, keyID: String?, nowSeconds: Int64
  ) throws(CredentialError) -> VerifiedCredential {
    let isForEnrolment = kind == .idToken && claims["aud"] == .string(projectID + IDTokenClaims.enrolmentAudience)
    guard isForEnrolment || claims["aud"] == .string(projectID) else { throw .invalid("aud is another project") }
    guard claims["iss"] == .string(issuer) else { throw .invalid("iss is another issuer") }
    guard let uid = claims["sub"]?.string, IDTokenClaims.isUID(uid) else {
      throw .invalid("sub is not a valid user id")
    }
    guard claims["user_id"] == .string(uid) else { throw .invalid("user_id differs from sub") }
    guard let end = claims["exp"]?.seconds else { throw .invalid("exp is not a time") }
    guard nowSeconds < end else { throw .expired("the token has expired") }
    let skew = TokenLimits.ownClockSkewSeconds
    guard let issuedAt = claims["iat"]?.seconds, issuedAt - skew <= nowSeconds else {
      throw .invalid("iat is not a past time")
    }
    guard let authTime = claims["auth_time"]?.seconds, authTime - skew <= issuedAt else {
      throw .invalid("auth_time is after iat")
    }
    guard let signIn = claims["firebase"], let provider = signIn["sign_in_provider"]?.string else {
      throw .invalid("sign_in_provider is missing")
    }
    guard signIn["tenant"] == tenant.map(ClaimValue.string) else {
      throw .invalid("the token belongs to another tenant")
    }
    return VerifiedCredential(
      kind: kind == .idToken ? .idToken : .sessionCookie,
      // To the rules, a client without a required second factor is signed out.
      authPayload: isForEnrolment ? nil : IDTokenClaims.authPayload(uid: uid, provider: provider, claims: claims),
      authority: .user, expiresAtSeconds: end, claims: claims, keyID: keyID)
  }
}
