extension KeyRing {
  /// A signed ID token, or in emulator mode a sealed one; takes about a millisecond, so not for an I/O loop.
  ///
  /// - Parameters:
  ///   - issuedAtSeconds: seconds since 1970.
  ///   - lifetimeSeconds: `TokenLimits.idTokenLifetimeSecondsMin` to `TokenLimits.signedLifetimeSecondsMax`.
  public func mintIDToken(
    _ subject: IDTokenSubject, issuedAtSeconds: Int64,
    lifetimeSeconds: Int64 = TokenLimits.idTokenLifetimeSecondsDefault
  ) throws(TokenMintError) -> String {
    guard let keys = snapshot.store.idTokenFile.keysOrNone() else { throw .unavailable }
    return try IDTokenMinter(projectID: projectID, keys: keys, seal: seal).mint(
      subject, issuedAtSeconds: issuedAtSeconds, lifetimeSeconds: lifetimeSeconds)
  }

  /// Verifies an ID token and no other kind, for requests that need one.
  ///
  /// - Parameter nowSeconds: seconds since 1970.
  public func verifyIDToken(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    guard let idTokens = verifier.idTokens else { throw .invalid("ID tokens are disabled") }
    return try idTokens.verify(text, nowSeconds: nowSeconds)
  }

  /// A session cookie with the claims of an ID token, under its own issuer and keys.
  ///
  /// - Parameters:
  ///   - claims: of an ID token that was verified just now.
  ///   - lifetimeSeconds: `TokenLimits.sessionCookieLifetimeSecondsMin` to `…Max`.
  public func mintSessionCookie(
    claims: ClaimValue, issuedAtSeconds: Int64, lifetimeSeconds: Int64
  ) throws(TokenMintError) -> String {
    let lifetimes = TokenLimits.sessionCookieLifetimeSecondsMin...TokenLimits.sessionCookieLifetimeSecondsMax
    guard lifetimes.contains(lifetimeSeconds) else {
      throw .invalidTimes(
        "the lifetime of session cookies must be \(lifetimes.lowerBound) to \(lifetimes.upperBound) seconds")
    }
    let (end, overflow) = issuedAtSeconds.addingReportingOverflow(lifetimeSeconds)
    guard !overflow, ClaimValue.int(issuedAtSeconds).seconds != nil, ClaimValue.int(end).seconds != nil else {
      throw .invalidTimes("a time is out of range")
    }
    // Another cookie is refused here, too: a session would never end.
    guard claims["iss"] == .string(UnverifiedToken.issuerPrefix(.idToken) + projectID), let members = claims.members
    else { throw .refused("the claims are not those of an ID token") }
    let replaced: [ClaimValue.Member] = [
      .init("iss", .string(UnverifiedToken.issuerPrefix(.sessionCookie) + projectID)),
      .init("iat", .int(issuedAtSeconds)), .init("exp", .int(end)),
    ]
    let kept = members.filter { member in !replaced.contains { $0.name.hasSameBytes(as: member.name) } }
    if let seal { return try seal.token(claims: kept + replaced, kind: .sessionCookie) }
    guard let signing = snapshot.store.sessionCookieFile.keysOrNone()?.signing else { throw .unavailable }
    return try SignedToken.rs256(claims: kept + replaced, keyID: signing.id, key: signing.key)
  }

  /// Verifies a session cookie and no other kind. No database takes one.
  public func verifySessionCookie(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    try snapshot.cookieVerifier.verify(text, nowSeconds: nowSeconds)
  }

  /// A session of a legacy client: a legacy token that names its session, so that it can be ended.
  ///
  /// - Parameters:
  ///   - data: further members of `d`, which rules see as `auth`, such as the provider.
  ///   - jti: the session's id, which the verified credential shows in `claims["jti"]`.
  ///   - issuedAtSeconds, expiresAtSeconds: seconds since 1970.
  public func mintLegacySession(
    uid: String, data: [ClaimValue.Member], sessionID jti: String, issuedAtSeconds: Int64, expiresAtSeconds: Int64
  ) throws(TokenMintError) -> String {
    try LegacyTokenMinter(secrets: snapshot.store.legacySecrets).mint(
      uid: uid, claims: data, issuedAtSeconds: issuedAtSeconds,
      options: .init(expiresAtSeconds: expiresAtSeconds, sessionID: jti))
  }

  // MARK: Service accounts

  /// The service account that the server itself has, so that its command line can sign custom tokens.
  public var mintingAccount: MintingAccount {
    get throws(KeyStoreError) { try snapshot.store.mintingAccount(projectID: projectID) }
  }

  /// The name of that service account, which needs no key.
  public var mintingEmail: String { MintingAccount.email(projectID: projectID) }

  /// A verifier of custom tokens of these service accounts, and of the server's own.
  ///
  /// - Parameters:
  ///   - accounts: those that are not disabled; public keys by key id.
  ///   - tenant: the tenant that the request names; nil for this ring's own.
  ///   - allowsUnsigned: for emulator clients on this machine only.
  public func customTokenVerifier(
    accounts: [(email: String, publicKeys: [String: String])], tenant: String? = nil, allowsUnsigned: Bool = false
  ) -> CustomTokenVerifier {
    let own = (try? mintingAccount).map { [($0.email, [$0.keyID: $0.publicPEM])] } ?? []
    return CustomTokenVerifier(
      projectID: projectID, accounts: accounts + own, tenant: tenant ?? self.tenant, allowsUnsigned: allowsUnsigned)
  }

  // MARK: Sealing

  /// Seals bytes, readable and changeable only with this server's sealing key.
  ///
  /// - Parameter purpose: the meaning and owner of the bytes; they open again under the same text only.
  public func seal(_ bytes: [UInt8], for purpose: String = "") throws(RandomnessError) -> String {
    try snapshot.store.sealingKey.seal(bytes, for: purpose, random: random)
  }

  /// The bytes that were sealed; nil for a text that is damaged, or was sealed with another key or for another purpose.
  public func unseal(_ text: String, for purpose: String = "") -> [UInt8]? {
    snapshot.store.sealingKey.unseal(text, for: purpose)
  }

  /// The key for the throttle's counters; derived from the sealing key.
  public var throttleKey: [UInt8] { snapshot.store.sealingKey.throttleKey }

  /// The key for the hashes of recovery codes; derived from the sealing key.
  package var recoveryKey: [UInt8] { snapshot.store.sealingKey.recoveryKey }
}
