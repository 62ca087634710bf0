/// The nonce that a request expects in another provider's token.
public enum ForeignNonce: Sendable, Equatable {
  /// The token must have no nonce, because there is none to compare it with.
  case absent
  /// The nonce is not checked.
  case unchecked
  /// The token must have exactly this nonce.
  case exactly(String)
  /// The token must have the lower-case hexadecimal SHA-256 of this nonce, as with Apple's and Google's mobile sign-in.
  case hashed(String)
  /// The token must have this nonce, or its hash.
  case exactlyOrHashed(String)

  func accepts(_ claim: ClaimValue?) -> Bool {
    switch self {
    case .absent: claim == nil
    case .unchecked: true
    case .exactly(let raw): Self.isEqual(claim, raw)
    case .hashed(let raw): Self.isEqual(claim, Digest(sha256: raw.utf8).hex)
    case .exactlyOrHashed(let raw): Self.isEqual(claim, raw) || Self.isEqual(claim, Digest(sha256: raw.utf8).hex)
    }
  }

  private static func isEqual(_ claim: ClaimValue?, _ expected: String) -> Bool {
    guard let claim = claim?.string, !expected.isEmpty else { return false }
    return ConstantTime.equal(Array(claim.utf8), Array(expected.utf8))
  }
}

/// A verifier of the ID tokens of another provider. It requires RS256 or ES256, as the key determines, this application
/// as the audience, an expected issuer, and valid times.
public struct ForeignTokenVerifier: Sendable {
  private let issuers: [String]
  private let audiences: [String]

  /// - Parameters:
  /// - issuers: The accepted values of `iss`.
  /// - audiences: This application's client IDs at the provider.
  public init(issuers: [String], audiences: [String]) {
    self.issuers = issuers
    self.audiences = audiences
  }

  /// Returns the claims of a valid token that one of the issuers issued for this application.
  ///
  /// `sub`, a string of 1 to 255 bytes, is the identity of the user; an e-mail address is not.
  ///
  /// - Parameters:
  /// - keys: The provider's keys, fetched from the configured address, never from one in the token.
  /// - nowSeconds: The time in seconds since 1970; the provider's clock may differ by five minutes.
  /// - Throws: `.unknownKey` when the set should be fetched again.
  public func verify(
    _ text: String, keys: ForeignKeySet, nonce: ForeignNonce, nowSeconds: Int64
  ) throws(ForeignTokenError) -> ClaimValue {
    let token: UnverifiedToken
    do {
      token = try TokenReader.read(text)
    } catch {
      throw ForeignTokenError(.malformed, error.reason)
    }
    // Checked before the key is looked up: a token with another algorithm must not cause a fetch of keys.
    guard token.isAlgorithm("RS256") || token.isAlgorithm("ES256") else {
      throw ForeignTokenError(.malformed, "the algorithm must be RS256 or ES256")
    }
    guard let key = keys.key(for: token.header) else { throw ForeignTokenError(.unknownKey, "unknown key") }
    guard token.isAlgorithm(key.algorithm) else {
      throw ForeignTokenError(.signature, "the key belongs to another algorithm")
    }
    switch key.verify(token.signature, of: token.signedBytes) {
    case .accepted: break
    case .refused: throw ForeignTokenError(.signature, "the signature does not match")
    case .outOfMemory: throw ForeignTokenError(.unavailable, "out of memory in OpenSSL")
    }
    let claims = token.payload
    guard let issuer = claims["iss"]?.string, issuers.contains(where: issuer.hasSameBytes(as:)) else {
      throw ForeignTokenError(.issuer, "iss is another issuer")
    }
    try checkAudience(claims)
    try checkTimes(claims, nowSeconds: nowSeconds)
    guard nonce.accepts(claims["nonce"]) else { throw ForeignTokenError(.nonce, "nonce does not match the request") }
    guard let subject = claims["sub"]?.string, (1...TokenLimits.foreignSubjectBytesMax).contains(subject.utf8.count)
    else { throw ForeignTokenError(.subject, "sub is not a valid id") }
    return claims
  }

  private func isOurs(_ value: ClaimValue?) -> Bool {
    guard let text = value?.string else { return false }
    return audiences.contains(where: text.hasSameBytes(as:))
  }

  /// Returns true when `aud` and `azp` of verified claims name this application.
  public func acceptsAudience(of claims: ClaimValue) -> Bool { (try? checkAudience(claims)) != nil }

  /// Checks that `aud` names this application. When `aud` names others too, `azp` must be present; whenever `azp` is
  /// present, it must be one of this application's client IDs.
  private func checkAudience(_ claims: ClaimValue) throws(ForeignTokenError) {
    var needsParty = false
    switch claims["aud"] {
    case .string(let name): guard isOurs(.string(name)) else { throw Self.otherAudience }
    case .array(let names):
      guard names.contains(where: isOurs(_:)) else { throw Self.otherAudience }
      needsParty = !names.allSatisfy(isOurs(_:))
    default: throw Self.otherAudience
    }
    guard let party = claims["azp"] else {
      guard !needsParty else { throw ForeignTokenError(.audience, "aud has several audiences, and azp is missing") }
      return
    }
    guard isOurs(party) else { throw ForeignTokenError(.audience, "azp is another application") }
  }

  private static let otherAudience = ForeignTokenError(.audience, "aud is another application")

  private func checkTimes(_ claims: ClaimValue, nowSeconds: Int64) throws(ForeignTokenError) {
    let skew = TokenLimits.foreignClockSkewSeconds
    // All times are below 2^53, so no sum overflows.
    guard let end = claims["exp"]?.seconds else { throw ForeignTokenError(.malformed, "exp is not a time") }
    guard nowSeconds < end + skew else { throw ForeignTokenError(.expired, "the token has expired") }
    guard let issuedAt = claims["iat"]?.seconds else { throw ForeignTokenError(.malformed, "iat is not a time") }
    guard issuedAt - skew <= nowSeconds else { throw ForeignTokenError(.notYetValid, "iat is in the future") }
    if let notBefore = claims["nbf"] {
      guard let start = notBefore.seconds else { throw ForeignTokenError(.malformed, "nbf is not a time") }
      guard start - skew <= nowSeconds else { throw ForeignTokenError(.notYetValid, "nbf is in the future") }
    }
  }
}
