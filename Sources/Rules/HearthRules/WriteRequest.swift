import HearthTree

/// A write that asks for permission: the database before it, the database as it would be after it, and the places
/// that it replaces.
public struct WriteRequest: Sendable {
  /// The whole database before the write.
  public var oldRoot: Node
  /// The whole database after all of the write, with deferred values resolved.
  public var newRoot: Node
  /// What the write replaces: one place for a put, several for a multi-path update, none for an empty update.
  public var locations: [Location]
  /// What rules see as `auth`; nil when signed out.
  public var auth: JSON?
  /// What rules see as `now`; the number that the write's timestamps were resolved to.
  public var nowMilliseconds: Int64

  /// A write of these parts.
  public init(oldRoot: Node, newRoot: Node, locations: [Location], auth: JSON?, nowMilliseconds: Int64) {
    self.oldRoot = oldRoot
    self.newRoot = newRoot
    self.locations = locations
    self.auth = auth
    self.nowMilliseconds = nowMilliseconds
  }
}
