import HearthTree

/// A write to be decided: the database before it, the database after it, and the locations that it replaces.
public struct WriteRequest: Sendable {
  /// The whole database before the write.
  public var oldRoot: Node
  /// The whole database after the whole write, with server values resolved.
  public var newRoot: Node
  /// The locations that the write replaces: one for a put, several for a multi-path update, none for an empty update.
  public var locations: [Location]
  /// The `auth` of rules; nil when signed out.
  public var auth: JSON?
  /// The `now` of rules, which is also the value of the write's timestamps.
  public var nowMilliseconds: Int64

  /// Creates a write.
  public init(oldRoot: Node, newRoot: Node, locations: [Location], auth: JSON?, nowMilliseconds: Int64) {
    self.oldRoot = oldRoot
    self.newRoot = newRoot
    self.locations = locations
    self.auth = auth
    self.nowMilliseconds = nowMilliseconds
  }
}
