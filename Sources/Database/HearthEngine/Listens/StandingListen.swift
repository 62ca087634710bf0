import HearthTree

/// A listen that is there, as rules would be asked about it.
public struct StandingListen: Sendable {
  /// Where.
  public var path: Path
  /// What rules see as `query`; nil for a listen without one.
  public var query: Query?
  /// True when the client asked with a query, also when it is sent everything.
  public var hasQuery: Bool
  /// Whose it is.
  public var principal: Principal

  init(_ listen: Listen) {
    path = listen.path
    query = listen.sentQuery
    hasQuery = listen.group != nil
    principal = listen.connection.principal
  }
}
