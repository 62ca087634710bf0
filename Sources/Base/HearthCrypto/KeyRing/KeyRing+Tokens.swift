extension KeyRing {
  /// Creates a signed ID token, or in emulator mode an unsigned one with a seal. Takes about a millisecond, so it must
  /// not run on an event loop.
  ///
  /// - Parameters:
  /// - issuedAtSeconds: The time in seconds since 1970.
  /// - lifetimeSeconds: `TokenLimits.idTokenLifetimeSecondsMin` to `TokenLimits.signedLifetimeSecondsMax`.
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
  /// - Parameter nowSeconds: The time in seconds since 1970.
  public func verifyIDToken(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    guard let idTokens = verifier.idTokens else { throw .invalid("ID tokens are disabled") }
    return try idTokens.verify(text, nowSeconds: nowSeconds)
  }

  /// Creates a session cookie with the claims of an ID token, and with an issuer and keys of its own.
  ///
  /// - Parameters:
  /// - claims: The claims of an ID token that has just been verified.
  /// - lifetimeSeconds: `TokenLimits.sessionCookieLifetimeSecondsMin` to `…Max`.
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
    // The claims of another session cookie are refused, because a session could otherwise be extended for ever.
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

  /// Verifies a session cookie and no other kind. Databases do not accept session cookies.
  public func verifySessionCookie(_ text: String, nowSeconds: Int64) throws(CredentialError) -> VerifiedCredential {
    try snapshot.cookieVerifier.verify(text, nowSeconds: nowSeconds)
  }

  /// Creates a legacy token for the session of a legacy client. The token contains the session's ID, so that the
  /// session can be ended.
  ///
  /// - Parameters:
  /// - data: Further members of `d`, which is `auth` in rules, such as the provider.
  /// - jti: The session's ID, which the verified credential has in `claims["jti"]`.
  /// - issuedAtSeconds, expiresAtSeconds: Times in seconds since 1970.
  public func mintLegacySession(
    uid: String, data: [ClaimValue.Member], sessionID jti: String, issuedAtSeconds: Int64, expiresAtSeconds: Int64
  ) throws(TokenMintError) -> String {
    try LegacyTokenMinter(secrets: snapshot.store.legacySecrets).mint(
      uid: uid, claims: data, issuedAtSeconds: issuedAtSeconds,
      options: .init(expiresAtSeconds: expiresAtSeconds, sessionID: jti))
  }

  // MARK: Service accounts

  /// The service account of the server itself, with which its command line signs custom tokens.
  public var mintingAccount: MintingAccount {
    get throws(KeyStoreError) { try snapshot.store.mintingAccount(projectID: projectID) }
  }

  /// The name of that service account, which needs no key.
  public var mintingEmail: String { MintingAccount.email(projectID: projectID) }

  /// Creates a verifier of custom tokens of service accounts, and of the server's own.
  ///
  /// - Parameters:
  /// - accounts: The accounts that are not disabled, with public keys by key ID.
  /// - tenant: The tenant of the request; nil for this key ring's own.
  /// - allowsUnsigned: True to accept unsigned tokens, only for emulator clients on this machine.
  public func customTokenVerifier(
    accounts: [(email: String, publicKeys: [String: String])], tenant: String? = nil, allowsUnsigned: Bool = false
  ) -> CustomTokenVerifier {
    let own = (try? mintingAccount).map { [($0.email, [$0.keyID: $0.publicPEM])] } ?? []
    return CustomTokenVerifier(
      projectID: projectID, accounts: accounts + own, tenant: tenant ?? self.tenant, allowsUnsigned: allowsUnsigned)
  }

  // MARK: Sealing

  /// Encrypts and authenticates bytes with this server's sealing key.
  ///
  /// - Parameter purpose: A text for the meaning and owner of the bytes; ``unseal(_:for:)`` requires the same text.
  public func seal(_ bytes: [UInt8], for purpose: String = "") throws(RandomnessError) -> String {
    try snapshot.store.sealingKey.seal(bytes, for: purpose, random: random)
  }

  /// Returns the sealed bytes; nil for a text that is damaged, or was sealed with another key or for another purpose.
  public func unseal(_ text: String, for purpose: String = "") -> [UInt8]? {
    snapshot.store.sealingKey.unseal(text, for: purpose)
  }

  /// The key for the throttle's counters; derived from the sealing key.
  public var throttleKey: [UInt8] { snapshot.store.sealingKey.throttleKey }

  /// The key for the hashes of recovery codes; derived from the sealing key.
  package var recoveryKey: [UInt8] { snapshot.store.sealingKey.recoveryKey }
}
