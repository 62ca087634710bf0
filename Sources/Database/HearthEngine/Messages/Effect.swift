import HearthTree

/// An effect of a database on its connections. Effects are released in commit order, after their commits are durable,
/// and must reach each connection in the given order.
public enum Effect: Sendable {
  /// An event for these connections, none of which is named twice.
  case event(Event, to: [ConnectionID])

  /// An event for these listens with a query, at or below their path. No listen is named twice.
  case queryEvent(Event, to: [TaggedRecipient])

  /// The answer to a request.
  case reply(ConnectionID, request: Int32, Reply)

  /// The result of redecisions. Listens in ``Redecision/cancelled`` have ended: the engine has removed them, and their
  /// connections must be notified.
  indirect case redecided(Redecision)

  /// The end of the connection's credential, with which it is signed out. Precedes the cancellations that it causes.
  case authenticationEnded(ConnectionID)

  /// A refusal for the log. A cancelled listen has its denial in ``redecided(_:)``.
  indirect case denied(Denial)
}

/// The cause of a redecision of listens, and the reason why a cancelled one lost its permission.
public enum Cancellation: Sendable, Equatable {
  /// A commit changed data that the rule reads.
  case data(position: Int64)
  /// Different rules were deployed.
  case rules(position: Int64)
  /// The connection signed in as another user, or out.
  case identity
  /// The connection's credential expired.
  case expiry
  /// The connection's credential was revoked.
  case revocation
  /// The rule reads the time.
  case clock
}
