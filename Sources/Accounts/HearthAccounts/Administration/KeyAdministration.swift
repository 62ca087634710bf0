import HearthCrypto

/// Signing keys and database secrets, for an administrator.
package struct KeyAdministration: Sendable {
  let context: AccountsContext

  /// Creates a signing key. It is published an hour before it signs, unless it is urgent.
  package func rotateKey(
    _ kind: KeyKind, isUrgent: Bool, by administrator: Administrator
  ) async throws(AccountError) -> KeyInfo {
    try await record(administrator, "\(kind.rawValue) key rotated\(isUrgent ? " at once" : "")")
    do throws(KeyStoreError) {
      return try context.keys.rotate(kind, nowSeconds: administrator.now.wallMilliseconds / 1000, isUrgent: isUrgent)
    } catch {
      throw refusal(error)
    }
  }

  /// Removes a key: tokens that it signed become invalid at once.
  ///
  /// - Throws: `invalidArgument` when there is no such key, or it is the only one.
  package func removeKey(_ kind: KeyKind, kid: String, by administrator: Administrator) async throws(AccountError) {
    guard context.keys.list(kind).contains(where: { $0.kid == kid }) else {
      throw AccountError(.invalidArgument, "unknown \(kind.rawValue) key")
    }
    try await record(administrator, "\(kind.rawValue) key \(kid.prefix(16)) removed")
    do throws(KeyStoreError) {
      try context.keys.remove(kind, kid: kid)
    } catch {
      throw refusal(error)
    }
    context.announce(.signingKey(id: kid), .keyRotated)
  }

  /// Creates a database secret; above the limit the oldest is removed.
  package func rotateSecret(by administrator: Administrator) async throws(AccountError) {
    let before = context.keys.legacySecrets.ids
    try await record(administrator, "database secret rotated")
    do throws(KeyStoreError) { try context.keys.rotateLegacySecret() } catch { throw refusal(error) }
    notifyOfRemoved(secrets: before)
  }

  /// Removes a database secret.
  ///
  /// - Throws: `invalidArgument` for a name that no secret has, and for the only one.
  package func removeSecret(id: String?, by administrator: Administrator) async throws(AccountError) {
    let before = context.keys.legacySecrets.ids
    guard let id, let index = before.firstIndex(of: id) else {
      throw AccountError(.invalidArgument, "unknown secret id; list the secrets with secrets:list")
    }
    guard before.count > 1 else {
      throw AccountError(.invalidArgument, "the only secret cannot be removed; rotate first")
    }
    try await record(administrator, "database secret \(id) removed")
    do throws(KeyStoreError) { try context.keys.removeLegacySecret(index) } catch { throw refusal(error) }
    notifyOfRemoved(secrets: before)
  }

  private func notifyOfRemoved(secrets before: [String]) {
    let now = context.keys.legacySecrets.ids
    if before.contains(where: { !now.contains($0) }) { context.announce(.legacySecret, .keyRotated) }
  }

  /// Records an action before it is done: an action that the audit trail lacks must not happen.
  private func record(_ administrator: Administrator, _ what: String) async throws(AccountError) {
    try await context.store.transact { (transaction) throws(AccountError) in
      transaction.audit(administrator.event(.keyRotated, detail: what))
    }
  }

  private func refusal(_ error: KeyStoreError) -> AccountError {
    context.notice(AccountsNotice(.error, "the keys could not be changed: \(error)"))
    switch error.code {
    case .unknownKey: return AccountError(.invalidArgument, "the key does not exist, or is the only one")
    default: return AccountError(.unavailable)
    }
  }
}
