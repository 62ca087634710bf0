import HearthCrypto
import HearthEngine

/// Sessions of clients of the 2.x kind. Their token is a legacy one that names its session, so that it can be ended.
package struct LegacySessions: Sendable {
  private let store: AccountStore
  private let keys: KeyRing
  private let hooks: SignInHooks
  private let secrets: SecretGenerator
  private let configuration: LiveConfiguration
  private let notice: @Sendable (AccountsNotice) -> Void

  init(
    store: AccountStore, keys: KeyRing, hooks: SignInHooks, secrets: SecretGenerator, configuration: LiveConfiguration,
    notice: @escaping @Sendable (AccountsNotice) -> Void
  ) {
    self.store = store
    self.keys = keys
    self.hooks = hooks
    self.secrets = secrets
    self.configuration = configuration
    self.notice = notice
  }

  /// Begins a session of a user who has shown a credential.
  ///
  /// - Parameters:
  ///   - user: the account as it was when the credential was checked.
  ///   - provider: as the token's claims show it: `password`, `anonymous`, `google`.
  /// - Returns: the session's token.
  /// - Throws: what ``Sessions/start(of:provider:claims:secondFactor:client:now:change:)`` throws.
  package func start(
    of user: UserRecord, provider: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> String {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    let claims = try await hooks.decideSignIn(user, provider: provider, client: client)
    let id = try secrets.text()
    // Kept as a hash alone, like every other token.
    let hash = Digest(sha256: id.utf8)
    let seconds = configuration.value.legacySessionSeconds
    let (issuedAt, endsAt) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (Int64, Int64) in
      guard var current = transaction.user(user.uid) else { throw AccountError(.userNotFound) }
      try current.requireCredentials(of: user)
      let issuedAt = transaction.nowSeconds
      var session = SessionRecord(
        family: hash.hex, uid: user.uid, signInProvider: provider, authTimeSeconds: issuedAt,
        createdAtSeconds: issuedAt, clientAddress: client.address, userAgent: client.userAgent)
      session.userGeneration = current.border.generation
      session.isLegacy = true
      session.expiresAtSeconds = issuedAt + seconds
      transaction.putSession(hash, session)
      current.noteIssue(atSeconds: issuedAt)
      current.lastSignInAtMilliseconds = now.wallMilliseconds
      try transaction.update(current)
      transaction.audit(
        AuditEvent(.signIn, uid: user.uid, email: current.email, client: client, detail: "legacy \(provider)"))
      return (issuedAt, issuedAt + seconds)
    }
    let added = claims.filter { $0.name != "provider" && $0.name != "uid" }
    do {
      return try keys.mintLegacySession(
        uid: user.uid, data: [ClaimValue.Member("provider", .string(provider))] + added, sessionID: id,
        issuedAtSeconds: issuedAt, expiresAtSeconds: endsAt)
    } catch {
      notice(AccountsNotice(.error, "a legacy session's token could not be made: \(error.code.rawValue)"))
      throw AccountError(.unavailable)
    }
  }
}
