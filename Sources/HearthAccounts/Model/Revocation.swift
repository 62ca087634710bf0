/// Tokens that count no longer, for who holds live connections. Told after the change is durable.
public enum Revocation: Sendable, Equatable {
  /// The user's tokens issued before that second; all of them when the user is disabled or deleted.
  case user(uid: String, validSinceSeconds: Int64)
  /// One legacy session.
  case legacySession(id: String)
  /// Every token that this key signed.
  case signingKey(id: String)
  /// Every connection that showed this legacy secret or a token signed with it.
  case legacySecret
  /// Every access token that was given to this service account.
  case serviceAccount(email: String)
}
