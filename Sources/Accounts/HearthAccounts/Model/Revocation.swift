/// Tokens that are no longer valid, so that live connections which showed one can be signed out. Announced after the
/// change is durable.
public enum Revocation: Sendable, Equatable {
  /// The user's tokens so far.
  case user(uid: String)
  /// Every token of a tenant's users.
  case tenant(id: String)
  /// One legacy session.
  case legacySession(id: String)
  /// Every token that this key signed.
  case signingKey(id: String)
  /// Every connection that showed this legacy secret or a token signed with it.
  case legacySecret
  /// Every access token that was given to this service account.
  case serviceAccount(email: String)
  /// Tokens that the server did not make.
  case foreignTokens(ForeignTokenRevocation)
}

/// Takes a revocation once it is durable, with what caused it, from any thread. Returns at once.
package typealias RevocationHandler = @Sendable (Revocation, AuditEvent.Kind) -> Void

/// Takes a revocation that another node of a cluster has made, with what caused it and the position in the accounts' log that
/// this one has come to by it, from any thread. Returns at once.
package typealias FollowedRevocationHandler = @Sendable (Revocation, AuditEvent.Kind, _ position: Int64) -> Void
