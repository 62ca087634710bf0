import HearthCrypto
import HearthEngine

extension Accounts {
  /// How far tokens may be issued ahead of the clock; verifiers allow a minute.
  private static let aheadSecondsMax: Int64 = 30

  /// Ends the tokens that the user has so far.
  ///
  /// Token times are whole seconds, and a token issued in the second of ``UserRecord/validSinceSeconds`` counts. When one
  /// was issued in this very second the border is the next one, else it would survive.
  static func endTokens(of user: inout UserRecord, now: Instant) {
    let nowSeconds = now.wallMilliseconds / 1000
    let lastIssued = max(user.lastSignInAtMilliseconds ?? 0, user.lastRefreshAtMilliseconds ?? 0) / 1000
    let border = max(nowSeconds, min(max(user.validSinceSeconds, lastIssued), nowSeconds + aheadSecondsMax - 1) + 1)
    user.validSinceSeconds = max(user.validSinceSeconds, border)
  }

  /// How far changes that clients repeat may move the border; the rest is for whoever has to end their tokens.
  private static let aheadSecondsMaxByClient: Int64 = 15

  /// Refuses one more change by a client that has already moved the border of ``endTokens(of:now:)`` far ahead: it could
  /// get it to where the next revocation does not move it any more, and keep its tokens.
  static func requireQuiet(_ user: UserRecord, now: Instant) throws(AccountError) {
    let aheadSeconds = user.validSinceSeconds.plus(-(now.wallMilliseconds / 1000))
    // Further ahead than any change gets it: the clock was set back, and nobody is to wait for it.
    guard aheadSeconds < aheadSecondsMaxByClient || aheadSeconds > aheadSecondsMax else {
      throw AccountError(.tooManyAttempts, "The account was changed many times just now. Try again in a moment.")
    }
  }

  /// The second that a new token of the user names as its issue.
  static func issueSecond(for user: UserRecord, nowSeconds: Int64) -> Int64 {
    max(nowSeconds, min(user.validSinceSeconds, nowSeconds + aheadSecondsMax))
  }

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
  /// Cheap, and only as old as the last durable change. A user id that has no account and never had one is good: an
  /// operator minted the token.
  public func standing(of credential: VerifiedCredential) -> Standing {
    let view = store.view
    switch credential.kind {
    case .legacySecret, .adminToken, .developerOwner: return .good
    case .idToken, .sessionCookie, .developerToken: break
    case .legacyToken:
      if let id = credential.claims["jti"] {
        guard let id = id.string, let session = view.session(Digest(sha256: id.utf8)), session.isLegacy else {
          return .ended
        }
      }
    }
    guard let uid = credential.uid else { return .good }
    if view.isDeleted(uid) { return .ended }
    guard let user = view.user(uid) else { return .good }
    if user.isDisabled { return .ended }
    // Mock tokens of emulator clients were issued in 1970.
    if credential.kind == .developerToken { return .good }
    guard let issuedAt = credential.claims["iat"]?.seconds, issuedAt >= user.validSinceSeconds else { return .ended }
    return .good
  }

  /// What became of an account since a credential of it was verified.
  public enum Standing: Sendable {
    case good
    /// Disabled, deleted, or the credential was revoked.
    case ended
  }
}
