/// A verifier of credentials of all kinds: it recognises the format of a credential, then calls the verifier for that
/// kind.
///
/// The format only selects a verifier and grants no rights. A credential of a kind whose verifier is nil is refused.
/// Cheap to copy; safe to use from many threads.
public struct CredentialVerifier: Sendable {
  /// The verifier of tokens in the legacy format; nil to refuse them.
  public var legacyTokens: LegacyTokenVerifier?
  /// The database secrets that are accepted as credentials; nil to refuse them.
  public var legacySecrets: LegacySecrets?
  /// The verifier of ID tokens; nil to refuse them.
  public var idTokens: IDTokenVerifier?
  /// The access tokens of administrators; nil to refuse them.
  public var adminTokens: AdminTokens?
  /// The emulator's credentials: set in emulator mode only, and used only for credentials that arrive over the loopback
  /// interface.
  public var developerCredentials: DeveloperCredentials?

  /// Creates a verifier for the given kinds of credentials; the others are refused.
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

  /// Creates a verifier of all kinds of credentials in a key store, for one project.
  ///
  /// - Parameters:
  /// - projectID: The `aud` of ID tokens.
  /// - developerCredentials: The emulator's credentials; nil unless in emulator mode.
  public init(keys: KeyStore, projectID: String, developerCredentials: DeveloperCredentials? = nil) {
    self.init(
      legacyTokens: LegacyTokenVerifier(secrets: keys.legacySecrets), legacySecrets: keys.legacySecrets,
      idTokens: IDTokenVerifier(projectID: projectID, keys: keys.idTokenFile.keysIfPresent, seal: nil),
      adminTokens: AdminTokens(permanent: [keys.adminToken], key: keys.sealingKey, projectID: projectID),
      developerCredentials: developerCredentials)
  }

  /// Verifies a credential of any kind, regardless of the parameter or header in which the request contains it, because
  /// clients use each of them for every kind.
  ///
  /// Takes at most the time of a signature check (tens of µs), and does not block for I/O. The only exception: until a
  /// new server has created its first keys, each ID token causes a check whether the key file exists.
  ///
  /// - Parameters:
  /// - nowSeconds: The time in seconds since 1970, read once for each request.
  /// - isFromLoopback: True when the request comes from this machine, was not forwarded, and was not caused by a page
  ///   of another site. Otherwise developer credentials are refused.
  /// - scope: The scope that an access token must have. Other credentials have no scopes.
  /// - Throws: `CredentialError`; `.unavailable` must not be reported as a failed sign-in.
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
      // An emulator that issues unsigned ID tokens recognises its own by a seal in them.
      if let idTokens, idTokens.isSealed(token) { return try idTokens.verify(token, nowSeconds: nowSeconds) }
      guard let developer else { throw .invalid("unsigned token") }
      return try developer.verify(token)
    case .custom: throw .invalid("a custom token is only valid for sign-in, not for data")
    case .sessionCookie: throw .invalid("a session cookie is not valid for data")
    case .unsupported: throw .invalid("no verifier accepts this algorithm and issuer")
    }
  }

  /// Returns the administrator that an emulator accepts in place of any Google access token: SDKs and tools send it the
  /// credential that they are configured with. nil without developer credentials, and for tokens that name a user.
  ///
  /// - Parameter isFromLoopback: As in ``verify(_:nowSeconds:isFromLoopback:scope:)``.
  public func developerOwner(_ credential: String, isFromLoopback: Bool) -> VerifiedCredential? {
    guard isFromLoopback, let developerCredentials, !credential.isEmpty,
      credential.utf8.count <= TokenLimits.tokenBytesMax, !developerCredentials.namesUser(credential)
    else { return nil }
    return VerifiedCredential(kind: .developerOwner, authPayload: nil, authority: .emulatorOwner)
  }

  /// Verifies a credential without dots. All stores are searched before a result is used, so that the response time
  /// does not reveal which of them contains it.
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
