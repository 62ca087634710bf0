import HearthCrypto
import HearthEngine

extension Accounts {
  /// Ends every session and token of a user.
  @discardableResult
  func revokeSessions(
    uid: String, detail: String? = nil, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> UserRecord {
    try await changeCredentials(of: uid, caller: nil, event: .revoked, detail: detail, client: client, now: now) {
      (_, _) throws(AccountError) in
    }.user
  }

  /// Whether the account behind a verified credential still stands as it did when the credential was made.
  ///
  /// Cheap, and only as old as the last durable change. A user id that has no account is good, unless the credential is of
  /// an account that was deleted: an operator minted the token.
  public func standing(of credential: VerifiedCredential) -> Standing {
    let view = store.view
    var generation = credential.generation
    switch credential.kind {
    case .legacySecret, .adminToken, .developerOwner: return .good
    case .idToken, .sessionCookie, .developerToken: break
    case .legacyToken:
      if let id = credential.claims["jti"] {
        guard let id = id.string, let session = view.session(Digest(sha256: id.utf8)), session.isLegacy else {
          return .ended
        }
        generation = session.userGeneration
      }
    }
    guard let uid = credential.uid else { return .good }
    let issuedAt = credential.claims["iat"]?.seconds
    guard let user = view.user(uid) else {
      // Only the server itself writes generations, and only for accounts that are there.
      guard generation == nil else { return .ended }
      guard credential.kind != .developerToken, let last = view.tombstone(uid) else { return .good }
      return last.admits(generation: nil, issuedAtSeconds: issuedAt) ? .good : .ended
    }
    if user.isDisabled { return .ended }
    // Mock tokens of emulator clients were issued in 1970.
    if credential.kind == .developerToken { return .good }
    return user.border.admits(generation: generation, issuedAtSeconds: issuedAt) ? .good : .ended
  }

  /// What became of an account since a credential of it was verified.
  public enum Standing: Sendable {
    case good
    /// Disabled, deleted, or the credential was revoked.
    case ended
  }
}
