import HearthTree

/// A live listen in the form for rules decisions.
public struct StandingListen: Sendable {
  /// The path.
  public var path: Path
  /// The `query` of the rules; nil for a listen without one.
  public var query: Query?
  /// True when the client's listen has a query, also when it receives all data.
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
