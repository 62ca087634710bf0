/// The front of all verifiers: looks at what a credential is shaped like, then asks the one verifier for that kind.
///
/// The shape selects a verifier and grants nothing. A kind whose verifier is nil is refused. Cheap to copy; safe to use
/// from many threads.
public struct CredentialVerifier: Sendable {
  /// For tokens in the legacy format; nil refuses them.
  public var legacyTokens: LegacyTokenVerifier?
  /// For database secrets sent as they are; nil refuses them.
  public var legacySecrets: LegacySecrets?
  /// For ID tokens; nil refuses them.
  public var idTokens: IDTokenVerifier?
  /// For access tokens of administrators; nil refuses them.
  public var adminTokens: AdminTokens?
  /// Set in emulator mode only, and consulted only for credentials that came over loopback.
  public var developerCredentials: DeveloperCredentials?

  /// A verifier for the kinds of credentials that are given; the others are refused.
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

  /// Everything a key store holds, for one project.
  ///
  /// - Parameters:
  ///   - projectID: the `aud` of ID tokens.
  ///   - developerCredentials: give one in emulator mode only.
  public init(keys: KeyStore, projectID: String, developerCredentials: DeveloperCredentials? = nil) {
    self.init(
      legacyTokens: LegacyTokenVerifier(secrets: keys.legacySecrets), legacySecrets: keys.legacySecrets,
      idTokens: IDTokenVerifier(projectID: projectID, keys: keys.idTokenFile.keysIfThere, seal: nil),
      adminTokens: AdminTokens(permanent: [keys.adminToken], key: keys.sealingKey, projectID: projectID),
      developerCredentials: developerCredentials)
  }

  /// Verifies a credential as it came, whatever the request that carried it: clients send every kind under every name.
  ///
  /// Costs a signature check (tens of µs) at most; never blocks on I/O, except that while a server's first keys are
  /// being made each ID token has a look whether their file is there.
  ///
  /// - Parameters:
  ///   - nowSeconds: seconds since 1970; one reading of the clock per request.
  ///   - isFromLoopback: whether the socket's peer is this machine, nobody forwarded the request and no page of another
  ///     site had it sent. Developer credentials are refused otherwise.
  ///   - scope: what an access token is shown for. Other credentials have no scopes.
  /// - Throws: `CredentialError`; `.unavailable` is not to be reported as a failed sign-in.
  public func verify(
    _ credential: String, nowSeconds: Int64, isFromLoopback: Bool = false, scope: AdminScopes = .database
  ) throws(CredentialError) -> VerifiedCredential {
    guard credential.utf8.count <= TokenLimits.tokenBytesMax else { throw .invalid("longer than any credential") }
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
      guard let legacyTokens else { throw .invalid("legacy tokens are switched off") }
      return try legacyTokens.verify(token, nowSeconds: nowSeconds)
    case .id:
      guard let idTokens else { throw .invalid("ID tokens are switched off") }
      return try idTokens.verify(token, nowSeconds: nowSeconds)
    case .unsigned:
      if let idTokens, idTokens.isSealed(token) { return try idTokens.verify(token, nowSeconds: nowSeconds) }
      guard let developer else { throw .invalid("unsigned token") }
      return try developer.verify(token)
    case .custom: throw .invalid("a custom token is for signing in, not for reaching data")
    case .sessionCookie: throw .invalid("a session cookie is not a credential here")
    case .unsupported: throw .invalid("no verifier takes this algorithm and issuer")
    }
  }

  /// The administrator whom an emulator sees in any credential that is shown as one of Google's: SDKs and tools send
  /// what the app has. Nil where that is not believed: without developer credentials, and for tokens that name a user.
  ///
  /// - Parameter isFromLoopback: as in ``verify(_:nowSeconds:isFromLoopback:scope:)``.
  public func developerOwner(_ credential: String, isFromLoopback: Bool) -> VerifiedCredential? {
    guard isFromLoopback, let developerCredentials, !credential.isEmpty,
      credential.utf8.count <= TokenLimits.tokenBytesMax, !developerCredentials.namesUser(credential)
    else { return nil }
    return VerifiedCredential(kind: .developerOwner, authPayload: nil, authority: .emulatorOwner)
  }

  /// A credential without dots. Every store is asked before any is believed: which of them knew it is not to be learned
  /// from the time the answer takes.
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
    case .expired: throw .expired("admin token has ended")
    case .outOfScope: throw .invalid("the access token's scopes do not cover this")
    case .unknown, nil: break
    }
    if let developer, developer.isOwner(credential) {
      return VerifiedCredential(kind: .developerOwner, authPayload: nil, authority: .emulatorOwner)
    }
    throw .invalid("neither a token nor a known secret")
  }
}
