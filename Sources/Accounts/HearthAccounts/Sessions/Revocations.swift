import HearthCrypto
import HearthEngine
import HearthPlugin

/// Revokes tokens of users, and checks tokens for revocation.
public struct Revocations: Sendable {
  let context: AccountsContext

  /// Ends every session and token of a user.
  ///
  /// - Parameter detail: the detail of the audit record.
  /// - Returns: the changed account.
  /// - Throws: `userNotFound`.
  @discardableResult
  package func revoke(uid: String, detail: String? = nil, client: ClientInfo) async throws(AccountError) -> UserRecord {
    let user = try await context.store.transact {
      (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(uid) else { throw AccountError(.userNotFound) }
      transaction.endTokens(of: &user)
      try transaction.update(user)
      transaction.audit(AuditEvent(.revoked, uid: uid, email: user.email, client: client, detail: detail))
      return user
    }
    context.announce(.user(uid: uid), .revoked)
    return user
  }

  /// Returns whether a verified credential is still valid for its account. A credential of a tenant is invalid while
  /// the tenant is disabled.
  ///
  /// Cheap, and as recent as the last durable change. A user id without an account is valid, unless the credential is
  /// of a deleted account: an operator minted the token.
  public func standing(of credential: VerifiedCredential) -> Standing {
    let view = context.store.view
    var generation = credential.generation
    switch credential.kind {
    case .legacySecret, .developerOwner, .consoleSession: return .good
    case .adminToken:
      guard let owner = credential.owner else { return .good }
      let counts = view.serviceAccount(email: owner)?.admits(generation: credential.ownerGeneration) == true
      return counts ? .good : .ended
    case .idToken, .sessionCookie, .foreignToken, .developerToken: break
    case .legacyToken:
      if let id = credential.claims["jti"] {
        guard let id = id.string, let session = view.session(Digest(sha256: id.utf8)), session.isLegacy else {
          return .ended
        }
        generation = session.userGeneration
      }
    }
    guard let uid = credential.uid else { return .good }
    guard context.settings.tenant?.isDisabled != true else { return .ended }
    if generation == nil { context.store.noteClock() }
    var issuedAt = credential.claims["iat"]?.seconds
    // A token without a time of issue is valid until the first revocation of the user.
    if credential.kind == .foreignToken { issuedAt = issuedAt ?? 0 }
    guard let user = view.user(uid) else {
      // Only the server itself writes generations, and only for existing accounts.
      guard generation == nil else { return .ended }
      guard credential.kind != .developerToken, let last = view.tombstone(uid) else { return .good }
      return last.admits(generation: nil, issuedAtSeconds: issuedAt) ? .good : .ended
    }
    if user.isDisabled { return .ended }
    // Mock tokens of emulator clients were issued in 1970.
    if credential.kind == .developerToken { return .good }
    return user.cutoff.admits(generation: generation, issuedAtSeconds: issuedAt) ? .good : .ended
  }

  /// Returns whether a token of any kind is still valid for its account. One that the keys do not accept is invalid,
  /// too.
  package func standing(ofToken text: String, nowSeconds: Int64) -> Standing {
    if (try? TokenReader.read(text))?.kind == .custom { return standing(ofCustomToken: text, nowSeconds: nowSeconds) }
    let credential =
      (try? context.keys.verifier.verify(text, nowSeconds: nowSeconds))
      ?? (try? context.keys.verifySessionCookie(text, nowSeconds: nowSeconds))
    return credential.map { standing(of: $0) } ?? .ended
  }

  private func standing(ofCustomToken text: String, nowSeconds: Int64) -> Standing {
    guard context.settings.tenant?.isDisabled != true else { return .ended }
    let view = context.store.view
    let signers = view.serviceAccounts.filter { !$0.isDisabled }.map { ($0.email, $0.publicKeys) }
    guard let custom = try? context.keys.customTokenVerifier(accounts: signers).verify(text, nowSeconds: nowSeconds)
    else {
      return .ended
    }
    let named = NamedUser(uid: custom.uid, issuedAtSeconds: custom.issuedAtSeconds)
    let counts = (try? view.requireNotOfDeleted(named)) != nil && view.user(custom.uid)?.isDisabled != true
    return counts ? .good : .ended
  }

  /// The validity of a credential.
  public enum Standing: Sendable {
    /// The account accepts it.
    case good
    /// The account was disabled or deleted, or the credential was revoked.
    case ended
  }
}

extension AccountReading {
  /// Refuses a credential of an account that was deleted since: it neither restores that account nor opens another one
  /// with the same uid.
  ///
  /// - Throws: `invalidCustomToken`.
  func requireNotOfDeleted(_ named: NamedUser) throws(AccountError) {
    guard let issuedAt = named.issuedAtSeconds, let last = tombstone(named.uid),
      !last.admitsCustomToken(issuedAtSeconds: issuedAt)
    else { return }
    throw AccountError(.invalidCustomToken, "The account was deleted after the token was created.")
  }
}
