import HearthTree

/// The properties of a live listen that a rules decision needs.
public struct StandingListen: Sendable {
  /// The path.
  public var path: Path
  /// The query that the rules evaluate; nil for a listen without one, or one that receives all data.
  public var query: Query?
  /// True when the client's listen has a query, even when it receives all data.
  public var hasQuery: Bool
  /// The principal of its connection.
  public var principal: Principal

  init(_ listen: Listen) {
    path = listen.path
    query = listen.sentQuery
    hasQuery = listen.group != nil
    principal = listen.connection.principal
  }
}
