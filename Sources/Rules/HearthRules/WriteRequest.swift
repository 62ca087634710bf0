import HearthTree

/// A write to decide about: the database before it, the database as it would be after it, and the places that it
/// replaces.
public struct WriteRequest: Sendable {
  /// The whole database before the write.
  public var oldRoot: Node
  /// The whole database after all of the write, with deferred values resolved.
  public var newRoot: Node
  /// The locations that the write replaces: one for a put, several for a multi-path update, none for an empty update.
  public var locations: [Location]
  /// The `auth` of rules; nil when signed out.
  public var auth: JSON?
  /// The `now` of rules; the number that the write's timestamps were resolved to.
  public var nowMilliseconds: Int64

  /// Makes a write.
  public init(oldRoot: Node, newRoot: Node, locations: [Location], auth: JSON?, nowMilliseconds: Int64) {
    self.oldRoot = oldRoot
    self.newRoot = newRoot
    self.locations = locations
    self.auth = auth
    self.nowMilliseconds = nowMilliseconds
  }
}
