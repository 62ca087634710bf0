/// A verifier of custom tokens in the legacy format, which are signed by HS256 with a database secret and have the
/// claims `v`, `iat`, `d` and options.
public struct LegacyTokenVerifier: Sendable {
  private let secrets: LegacySecrets
  /// The maximum size of a token; it can be raised for old deployments that have much data in `d`.
  private let sizeBytesMax: Int
  /// True when `d` must name a user. Off by default: some token generators did not write `uid`.
  private let requiresUID: Bool

  /// - Parameters:
  /// - secrets: The secrets whose signatures are accepted.
  /// - sizeBytesMax: The maximum size of a token; it can be raised for old deployments that have much data in `d`.
  /// - requiresUID: True to refuse tokens whose `d` has no `uid`, which some token generators did not write.
  public init(
    secrets: LegacySecrets, sizeBytesMax: Int = TokenLimits.legacyTokenBytesMax, requiresUID: Bool = false
  ) {
    self.secrets = secrets
    self.sizeBytesMax = sizeBytesMax
    self.requiresUID = requiresUID
  }

  /// - Parameter nowSeconds: The time in seconds since 1970.
  public func verify(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    let token = try TokenReader.readCredential(text, sizeBytesMax: min(sizeBytesMax, TokenLimits.tokenBytesMax))
    return try verify(token, nowSeconds: nowSeconds)
  }

  func verify(_ token: UnverifiedToken, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    guard token.text.utf8.count <= sizeBytesMax else { throw .invalid("the legacy token is too long") }
    guard token.kind == .legacy else { throw .invalid("the token is not a legacy token") }
    let secretID = try verifySignature(token)

    let claims = token.payload
    guard claims["v"] == .int(0) || claims["v"] == .double(0) else { throw .invalid("v is not 0") }
    let expiresAtSeconds = try expiry(of: claims, nowSeconds: nowSeconds)
    let isAdministrator: Bool
    switch claims["admin"] {
    case nil: isAdministrator = false
    case .bool(let flag): isAdministrator = flag
    default: throw .invalid("admin is not a boolean")
    }
    let auth = try authPayload(of: claims)
    if requiresUID, !isAdministrator, auth?["uid"] == nil { throw .invalid("uid is missing in d") }
    return VerifiedCredential(
      kind: .legacyToken, authPayload: isAdministrator ? nil : auth,
      authority: isAdministrator ? .databaseSecret : .user,
      expiresAtSeconds: expiresAtSeconds, debug: claims["debug"]?.isTrue ?? false,
      simulate: claims["simulate"]?.isTrue ?? false, claims: claims, keyID: secretID)
  }

  /// Verifies the signature with one of the secrets by two implementations: this module's, which compares in constant
  /// time, and libjwt's. When they disagree, one of them is defective, and the token is refused.
  ///
  /// - Returns: The ID of the secret.
  private func verifySignature(_ token: UnverifiedToken) throws(CredentialError) -> String {
    var secretID: String?
    for (key, id) in zip(secrets.keys, secrets.ids) {
      guard let expected = MessageAuthenticationCode.hmacSHA256(token.signedBytes, key: key) else {
        throw CredentialError(.unavailable, reason: "HMAC failed")
      }
      guard ConstantTime.equal(expected, token.signature) else { continue }
      switch LibJWT.verify(token, algorithm: .hs256, key: key) {
      case .accepted: secretID = id
      case .refused: break
      case .outOfMemory: throw CredentialError(.unavailable, reason: "out of memory in libjwt")
      }
    }
    guard let secretID else { throw .invalid("the signature matches no secret") }
    return secretID
  }

  /// Checks `iat`, `nbf` and `exp`; returns the token's expiry.
  ///
  /// An `iat` in the future is accepted, because an old token generator wrote local time. The expiry is exact, without
  /// a tolerance for other clocks, because open connections are signed out at that second as well.
  private func expiry(of claims: ClaimValue, nowSeconds: Int64) throws(CredentialError) -> Int64 {
    guard let issuedAt = claims["iat"]?.seconds else { throw .invalid("iat is not a time") }
    var start = issuedAt
    if let notBefore = claims["nbf"] {
      guard let seconds = notBefore.seconds else { throw .invalid("nbf is not a time") }
      // A time in seconds is below 2^53, so the subtraction cannot overflow.
      guard nowSeconds >= seconds - TokenLimits.foreignClockSkewSeconds else {
        throw .invalid("the token is not valid yet")
      }
      start = seconds
    }
    var end = start + TokenLimits.legacyLifetimeSecondsDefault
    if let expires = claims["exp"] {
      guard let seconds = expires.seconds else { throw .invalid("exp is not a time") }
      end = seconds
    }
    guard nowSeconds < end else { throw .expired("the token has expired") }
    return end
  }

  /// Returns the member `d`, unchanged; nil when absent, null or empty.
  private func authPayload(of claims: ClaimValue) throws(CredentialError) -> ClaimValue? {
    switch claims["d"] {
    case nil, .null, .object([]): return nil
    case .object(let members):
      let auth = ClaimValue.object(members)
      if let uid = auth["uid"] {
        guard let uid = uid.string, uid.utf16.count <= TokenLimits.legacyUIDLengthMax else {
          throw .invalid("d.uid is not a string of at most \(TokenLimits.legacyUIDLengthMax) characters")
        }
      }
      return auth
    default: throw .invalid("d is not an object")
    }
  }
}
