/// A revocation of tokens, for signing out the connections that were authenticated with one. Announced after the change is durable.
public enum Revocation: Sendable, Equatable {
  /// All existing tokens of the user.
  case user(uid: String)
  /// Every token of a tenant's users.
  case tenant(id: String)
  /// A single legacy session.
  case legacySession(id: String)
  /// Every token that this key signed.
  case signingKey(id: String)
  /// Every connection that showed this legacy secret or a token signed with it.
  case legacySecret
  /// Every access token that was given to this service account.
  case serviceAccount(email: String)
  /// Tokens that the server did not issue.
  case foreignTokens(ForeignTokenRevocation)
}

/// Handles a durable revocation, with its cause, on any thread. Must return at once.
package typealias RevocationHandler = @Sendable (Revocation, AuditEvent.Kind) -> Void

/// Handles a revocation by another node of a cluster, with its cause and this node's resulting position in the
/// accounts' log, on any thread. Must return at once.
package typealias FollowedRevocationHandler = @Sendable (Revocation, AuditEvent.Kind, _ position: Int64) -> Void
