import HearthTree

/// A commit that changed data, with all that it was made from and came to: for those who make something of it after it.
///
/// It holds on to two versions of the database, so it is to be let go of soon.
public struct CommittedChange: Sendable {
  /// The commit's number.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970.
  public var wallMilliseconds: Int64
  /// The places that are different now; nothing else is. A place of which only the priority is different is among them.
  public var paths: [Path]
  /// The database before.
  public var oldRoot: Node
  /// The database after.
  public var newRoot: Node
  /// Who wrote. What happens at the end of a connection is written by who the connection was.
  public var principal: Principal
}
