import HearthCrypto
import HearthEngine

/// Sessions of 2.x clients. Their token is a legacy one that names its session, so that it can be revoked.
package struct LegacySessions: Sendable {
  let context: AccountsContext
  let admission: SignInAdmission

  /// Returns true when the user can have a legacy session: these clients can show neither a second factor nor a
  /// passkey.
  package func takes(_ authenticated: AuthenticatedUser) -> Bool {
    authenticated.user.factors.isEmpty && admission.admits(authenticated)
      && !context.configuration.secondFactors.isRequired(of: authenticated.user, after: authenticated.signIn.provider)
  }

  /// Begins a session of a user whose credential was right.
  ///
  /// - Parameters:
  ///   - authenticated: the user; the sign-in fails when the account's credential has changed since it was checked.
  ///   - provider: the provider as the token's claims show it: `password`, `anonymous`, `google`.
  /// - Returns: the account and the session's token.
  /// - Throws: the errors of ``Sessions/start(of:secondFactor:client:now:change:)``.
  package func start(
    of authenticated: AuthenticatedUser, provider: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (user: UserRecord, token: String) {
    guard takes(authenticated) else {
      throw AccountError(
        .operationNotAllowed, "A second factor is required, which this client version does not support.")
    }
    let admitted = try await admission.admit(authenticated, client: client)
    let id = try context.secrets.text()
    // Stored as a hash only, like every other token.
    let hash = Digest(sha256: id.utf8)
    let seconds = context.configuration.legacySessionSeconds
    let entry = try await admission.complete(admitted, client: client) {
      (transaction, user) throws(AccountError) -> (Int64, Int64) in
      let issuedAt = transaction.nowSeconds
      var session = SessionRecord(
        family: hash.hex, uid: user.uid, signInProvider: provider, authTimeSeconds: issuedAt,
        createdAtSeconds: issuedAt, clientAddress: client.address, userAgent: client.userAgent)
      session.userGeneration = user.cutoff.generation
      session.isLegacy = true
      session.expiresAtSeconds = issuedAt + seconds
      transaction.putSession(hash, session)
      user.noteIssue(atSeconds: issuedAt)
      user.lastSignInAtMilliseconds = now.wallMilliseconds
      transaction.audit(
        AuditEvent(.signIn, uid: user.uid, email: user.email, client: client, detail: "legacy \(provider)"))
      return (issuedAt, issuedAt + seconds)
    }
    guard let (user, (issuedAt, endsAt)) = entry else {
      return try await start(of: try await authenticated.present(), provider: provider, client: client, now: now)
    }
    let claims = admitted.hookClaims
    let added = claims.filter { $0.name != "provider" && $0.name != "uid" }
    do {
      let token = try context.keys.mintLegacySession(
        uid: user.uid, data: [ClaimValue.Member("provider", .string(provider))] + added, sessionID: id,
        issuedAtSeconds: issuedAt, expiresAtSeconds: endsAt)
      return (user, token)
    } catch {
      context.notice(AccountsNotice(.error, "a token of a legacy session could not be created: \(error.code.rawValue)"))
      throw AccountError(.unavailable)
    }
  }
}
