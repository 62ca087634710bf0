import HearthCrypto
import HearthEngine

/// Sign-in of clients of the 2.x kind. Its token is a legacy one that names its session, so that it can be ended.
extension Accounts {
  /// Begins a session for somebody who has shown a credential.
  ///
  /// - Parameters:
  ///   - user: the account as it was when the credential was checked.
  ///   - provider: as the token shows it: `password`, `google`.
  /// - Returns: the session's token.
  package func startLegacySession(
    _ user: UserRecord, provider: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> String {
    guard !user.isDisabled else { throw AccountError(.userDisabled) }
    let claims = try await decideSignIn(user, provider: provider, client: client)
    let id = try newSecretText()
    // Kept as a hash alone, like every other token.
    let hash = Digest(sha256: id.utf8)
    let seconds = configuration.legacySessionSeconds
    let (issuedAt, endsAt) = try await store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> (Int64, Int64) in
      guard var current = transaction.user(user.uid) else { throw AccountError(.userNotFound) }
      guard !current.isDisabled else { throw AccountError(.userDisabled) }
      guard current.hasSameCredentials(as: user) else { throw AccountError(.tokenExpired) }
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
    let data = [ClaimValue.Member("provider", .string(provider))] + added
    do {
      return try keys.mintLegacySession(
        uid: user.uid, data: data, sessionID: id, issuedAtSeconds: issuedAt, expiresAtSeconds: endsAt)
    } catch {
      environment.notice(AccountsNotice(.error, "a legacy session's token could not be made: \(error.code.rawValue)"))
      throw AccountError(.unavailable)
    }
  }

  /// A user id as the 2.x service drew them: 122 random bits in the form of a UUID.
  package func newLegacyUID() throws(AccountError) -> String {
    var bytes = try drawn { (random) throws(RandomnessError) in try random.bytes(16) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]].map { $0.joined() }.joined(separator: "-")
  }
}
