/// A verifier of custom tokens, which service accounts sign with RS256 and which are only for signing in.
public struct CustomTokenVerifier: Sendable {
  private let projectID: String
  private let signatures: ServiceAccountSignatureVerifier
  private let tenant: String?
  private let allowsUnsigned: Bool

  /// - Parameters:
  /// - accounts: The project's service accounts that are not disabled, with "BEGIN PUBLIC KEY" texts by key ID.
  /// - tenant: The tenant of the request; nil for none.
  /// - allowsUnsigned: True to accept unsigned tokens of emulator clients, and plain JSON objects instead of tokens.
  ///   Any client can create both, so this is only for emulator mode and requests from this machine.
  public init(
    projectID: String, accounts: [(email: String, publicKeys: [String: String])], tenant: String? = nil,
    allowsUnsigned: Bool = false
  ) {
    self.projectID = projectID
    signatures = ServiceAccountSignatureVerifier(accounts: accounts)
    self.tenant = tenant
    self.allowsUnsigned = allowsUnsigned
  }

  /// - Parameter nowSeconds: The time in seconds since 1970.
  public func verify(_ token: String, nowSeconds: Int64) throws(CustomTokenError) -> CustomToken {
    guard !token.isEmpty else { throw CustomTokenError(.missingCustomToken, reason: "empty") }
    guard token.utf8.count <= TokenLimits.tokenBytesMax else { throw .invalid("the token is too long") }
    if allowsUnsigned, token.utf8.first == UInt8(ascii: "{") { return try contents(of: bareObject(token), issuer: nil) }
    let read: UnverifiedToken
    do {
      read = try TokenReader.read(token)
    } catch {
      throw .invalid(error.reason)
    }
    if allowsUnsigned, read.isAlgorithm("none") {
      guard read.signature.isEmpty else { throw .invalid("an unsigned token has a signature") }
      try checkAudience(read.payload)
      return try contents(of: read.payload, issuer: nil)
    }
    let issuer = try verifySignature(read)
    let claims = read.payload
    guard claims["sub"] == .string(issuer) else { throw .invalid("sub differs from iss") }
    try checkAudience(claims)
    if let problem = ServiceAccountSignatureVerifier.problem(withTimesOf: claims, nowSeconds: nowSeconds) {
      throw .invalid(problem)
    }
    return try contents(of: claims, issuer: issuer)
  }

  private func verifySignature(_ token: UnverifiedToken) throws(CustomTokenError) -> String {
    switch signatures.verify(token) {
    case .accepted(let email): return email
    case .refused(let reason): throw .invalid(reason)
    case .outOfMemory: throw CustomTokenError(.unavailable, reason: "out of memory in OpenSSL")
    case .unknownAccount:
      throw CustomTokenError(
        .credentialMismatch, detail: "The custom token corresponds to a different project.",
        reason: "iss is not a service account of \(projectID)")
    }
  }

  private func bareObject(_ text: String) throws(CustomTokenError) -> ClaimValue {
    do {
      return try ClaimValue(json: text)
    } catch {
      throw .invalid("neither a token nor a JSON object")
    }
  }

  /// Checks the audience, which must be a string: with a list, one token could be used at several services.
  private func checkAudience(_ claims: ClaimValue) throws(CustomTokenError) {
    guard claims["aud"] == .string(UnverifiedToken.customTokenAudience) else {
      throw .invalid("aud is another service")
    }
  }

  /// Returns the user ID. Unsigned tokens may contain it as a number or under the name `user_id`, which Firebase's
  /// emulator accepts.
  private func uid(of token: ClaimValue, isUnsigned: Bool) -> String? {
    guard isUnsigned else { return token["uid"]?.string }
    switch token["uid"] ?? token["user_id"] {
    case .string(let text): return text
    case .int(let number): return String(number)
    default: return nil
    }
  }

  private func contents(of token: ClaimValue, issuer: String?) throws(CustomTokenError) -> CustomToken {
    guard let uid = self.uid(of: token, isUnsigned: issuer == nil), IDTokenClaims.isUID(uid) else {
      throw CustomTokenError(.missingIdentifier, reason: "uid is not a valid user id")
    }
    let named = token["tenant_id"]
    guard named == tenant.map(ClaimValue.string) else {
      throw CustomTokenError(.tenantIDMismatch, reason: "tenant_id differs from the request's tenant")
    }
    var claims: [ClaimValue.Member] = []
    switch token["claims"] {
    case nil, .null: break
    case .object(let members): claims = members
    default: throw CustomTokenError(.invalidClaims, reason: "claims is not an object")
    }
    guard ClaimValue.object(claims).json.utf8.count <= TokenLimits.customClaimsBytesMax else {
      throw CustomTokenError(.claimsTooLarge, reason: "claims exceed \(TokenLimits.customClaimsBytesMax) bytes")
    }
    do {
      try IDTokenClaims.check(custom: claims)
    } catch {
      let name = claims.first { IDTokenClaims.reservedNames.contains($0.name) }?.name ?? ""
      throw CustomTokenError(.forbiddenClaim, detail: name, reason: error.message)
    }
    return CustomToken(
      uid: uid, claims: claims, tenant: tenant, issuedAtSeconds: issuer == nil ? nil : token["iat"]?.seconds,
      issuer: issuer)
  }
}
