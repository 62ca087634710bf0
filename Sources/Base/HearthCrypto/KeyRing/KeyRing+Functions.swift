extension KeyRing {
  /// Creates a token for one request to a function. It has the issuer and the key of ID tokens, whose certificates the
  /// function SDKs fetch, and an audience that no ID token has. Takes about a millisecond, so it must not run on an
  /// event loop.
  ///
  /// - Parameters:
  /// - claims: The claims for the function; the token's standard claims are added.
  /// - url: The function's URL.
  /// - isSigned: False to omit the signature, for functions that run with an emulator.
  /// - issuedAtSeconds: The time in seconds since 1970.
  public func mintFunctionToken(
    claims: [ClaimValue.Member], url: String, isSigned: Bool, issuedAtSeconds: Int64, lifetimeSeconds: Int64
  ) throws(TokenMintError) -> String {
    let (end, overflow) = issuedAtSeconds.addingReportingOverflow(lifetimeSeconds)
    guard !overflow, ClaimValue.int(issuedAtSeconds).seconds != nil, ClaimValue.int(end).seconds != nil else {
      throw .invalidTimes("a time is out of range")
    }
    let own: [ClaimValue.Member] = [
      .init("iss", .string(UnverifiedToken.idTokenIssuerPrefix + projectID)),
      .init("aud", .string(Self.functionAudience(url: url, projectID: projectID))),
      .init("iat", .int(issuedAtSeconds)), .init("exp", .int(end)),
    ]
    for claim in claims where own.contains(where: { $0.name.hasSameBytes(as: claim.name) }) {
      throw .forbiddenClaim(claim.name)
    }
    guard isSigned else { return try SignedToken.unsigned(claims: own + claims) }
    guard let signing = snapshot.store.idTokenFile.keysOrNone()?.signing else { throw .unavailable }
    return try SignedToken.rs256(claims: own + claims, keyID: signing.id, key: signing.key)
  }

  /// Returns the audience of a function's token. Functions of the first generation require that it contains
  /// `PROJECT.cloudfunctions.net/`, those of the second `run.app`; one text satisfies both. It is never a project ID,
  /// which is an ID token's audience.
  static func functionAudience(url: String, projectID: String) -> String {
    "\(url)#\(projectID).cloudfunctions.net/run.app"
  }
}
