import HearthTree

/// What a database wants done outside. Effects are released in commit order, after their commits are durable, and must
/// be performed in the order given for each connection.
public enum Effect: Sendable {
  /// Tell these connections. None is named twice.
  case event(Event, to: [ConnectionID])

  /// Tell these listens with a query; the event is at or below their path. No listen is named twice.
  case queryEvent(Event, to: [TaggedRecipient])

  /// Answer a request.
  case reply(ConnectionID, request: Int32, Reply)

  /// Listens were decided again. Those in ``Redecision/cancelled`` are over: their connections may no longer read there,
  /// and are to be told so. The engine has forgotten these listens.
  indirect case redecided(Redecision)

  /// The connection's credential ended; the connection is signed out. Comes before the cancellations it causes.
  case authenticationEnded(ConnectionID)

  /// For the log: somebody was refused something. Listens that are cancelled carry theirs.
  indirect case denied(Denial)
}

/// The reason why a listen lost its permission.
public enum Cancellation: Sendable, Equatable {
  /// A commit changed data that the rule reads.
  case data(position: Int64)
  /// Other rules were deployed.
  case rules(position: Int64)
  /// The connection signed in as somebody else, or out.
  case identity
  /// The connection's credential reached its end.
  case expiry
  /// The connection's credential was revoked.
  case revocation
  /// The rule looks at the time.
  case clock
}
