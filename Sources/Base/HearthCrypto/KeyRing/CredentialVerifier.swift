/// The entry to all verifiers: recognises the form of a credential, then calls the verifier for that kind.
///
/// The form selects a verifier and grants nothing. A kind whose verifier is nil is refused. Cheap to copy; safe to use
/// from many threads.
public struct CredentialVerifier: Sendable {
  /// The verifier of tokens in the legacy format; nil refuses them.
  public var legacyTokens: LegacyTokenVerifier?
  /// The database secrets that are accepted as they are; nil refuses them.
  public var legacySecrets: LegacySecrets?
  /// The verifier of ID tokens; nil refuses them.
  public var idTokens: IDTokenVerifier?
  /// The access tokens of administrators; nil refuses them.
  public var adminTokens: AdminTokens?
  /// The emulator's credentials: set in emulator mode only, and consulted only for credentials that came over loopback.
  public var developerCredentials: DeveloperCredentials?

  /// Makes a verifier for the given kinds of credentials; the others are refused.
  public init(
    legacyTokens: LegacyTokenVerifier? = nil, legacySecrets: LegacySecrets? = nil, idTokens: IDTokenVerifier? = nil,
    adminTokens: AdminTokens? = nil, developerCredentials: DeveloperCredentials? = nil
  ) {
    self.legacyTokens = legacyTokens
    self.legacySecrets = legacySecrets
    self.idTokens = idTokens
    self.adminTokens = adminTokens
    self.developerCredentials = developerCredentials
  }

  /// Makes a verifier of all kinds that a key store holds, for one project.
  ///
  /// - Parameters:
  ///   - projectID: the `aud` of ID tokens.
  ///   - developerCredentials: give one in emulator mode only.
  public init(keys: KeyStore, projectID: String, developerCredentials: DeveloperCredentials? = nil) {
    self.init(
      legacyTokens: LegacyTokenVerifier(secrets: keys.legacySecrets), legacySecrets: keys.legacySecrets,
      idTokens: IDTokenVerifier(projectID: projectID, keys: keys.idTokenFile.keysIfPresent, seal: nil),
      adminTokens: AdminTokens(permanent: [keys.adminToken], key: keys.sealingKey, projectID: projectID),
      developerCredentials: developerCredentials)
  }

  /// Verifies a credential of any kind, in whatever parameter or header the request carried it: clients use each of
  /// them for every kind.
  ///
  /// Costs a signature check (tens of µs) at most; never blocks on I/O, except that each ID token checks
  /// whether the key file exists until a new server has made its first keys.
  ///
  /// - Parameters:
  ///   - nowSeconds: seconds since 1970; one reading of the clock per request.
  ///   - isFromLoopback: whether the socket's peer is this machine, and the request was neither forwarded nor caused by
  ///     a page of another site. Developer credentials are refused otherwise.
  ///   - scope: the scope that an access token must have. Other credentials have no scopes.
  /// - Throws: `CredentialError`; `.unavailable` is not to be reported as a failed sign-in.
  public func verify(
    _ credential: String, nowSeconds: Int64, isFromLoopback: Bool = false, scope: AdminScopes = .database
  ) throws(CredentialError) -> VerifiedCredential {
    guard credential.utf8.count <= TokenLimits.tokenBytesMax else { throw .invalid("the credential is too long") }
    let developer = isFromLoopback ? developerCredentials : nil
    if let developer, scope == .identity, developer.isGoogleAccessToken(credential) {
      return VerifiedCredential(kind: .developerOwner, authPayload: nil, authority: .emulatorOwner)
    }
    guard credential.utf8.contains(UInt8(ascii: ".")) else {
      return try verifyOpaque(credential, developer: developer, nowSeconds: nowSeconds, scope: scope)
    }
    if let known = try idTokens?.verifyKnown(credential, nowSeconds: nowSeconds) { return known }
    let token = try TokenReader.readCredential(credential)
    switch token.kind {
    case .legacy:
      guard let legacyTokens else { throw .invalid("legacy tokens are disabled") }
      return try legacyTokens.verify(token, nowSeconds: nowSeconds)
    case .id:
      guard let idTokens else { throw .invalid("ID tokens are disabled") }
      return try idTokens.verify(token, nowSeconds: nowSeconds)
    case .unsigned:
      // An emulator that issues unsigned ID tokens recognises its own by a seal.
      if let idTokens, idTokens.isSealed(token) { return try idTokens.verify(token, nowSeconds: nowSeconds) }
      guard let developer else { throw .invalid("unsigned token") }
      return try developer.verify(token)
    case .custom: throw .invalid("a custom token is only valid for sign-in, not for data")
    case .sessionCookie: throw .invalid("a session cookie is not valid for data")
    case .unsupported: throw .invalid("no verifier accepts this algorithm and issuer")
    }
  }

  /// Returns the administrator that an emulator accepts in place of any Google access token: SDKs and tools send it the
  /// credential that they are configured with. Nil without developer credentials, and for tokens that name a user.
  ///
  /// - Parameter isFromLoopback: as in ``verify(_:nowSeconds:isFromLoopback:scope:)``.
  public func developerOwner(_ credential: String, isFromLoopback: Bool) -> VerifiedCredential? {
    guard isFromLoopback, let developerCredentials, !credential.isEmpty,
      credential.utf8.count <= TokenLimits.tokenBytesMax, !developerCredentials.namesUser(credential)
    else { return nil }
    return VerifiedCredential(kind: .developerOwner, authPayload: nil, authority: .emulatorOwner)
  }

  /// Verifies a credential without dots. Every store is asked before a result is used, so that the time of the answer
  /// does not reveal which of them knew it.
  private func verifyOpaque(
    _ credential: String, developer: DeveloperCredentials?, nowSeconds: Int64, scope: AdminScopes
  ) throws(CredentialError) -> VerifiedCredential {
    let secretID = legacySecrets?.id(matching: credential)
    let holder = adminTokens?.holder(of: credential) ?? .operator
    let adminToken = adminTokens?.verify(credential, nowSeconds: nowSeconds, scope: scope)
    if let secretID {
      return VerifiedCredential(kind: .legacySecret, authPayload: nil, authority: .databaseSecret, keyID: secretID)
    }
    switch adminToken {
    case .valid(let expiresAtSeconds):
      return VerifiedCredential(
        kind: .adminToken, authPayload: nil, authority: holder.authority, expiresAtSeconds: expiresAtSeconds,
        owner: holder.owner?.email, ownerGeneration: holder.owner?.generation)
    case .expired: throw .expired("the admin token has expired")
    case .outOfScope: throw .invalid("the access token's scopes do not include this")
    case .unknown, nil: break
    }
    if let developer, developer.isOwner(credential) {
      return VerifiedCredential(kind: .developerOwner, authPayload: nil, authority: .emulatorOwner)
    }
    throw .invalid("the credential is neither a token nor a known secret")
  }
}
