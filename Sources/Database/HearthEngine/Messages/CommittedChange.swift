import HearthTree

/// A commit that changed data, with its inputs and results, for triggers and other consumers.
///
/// It retains two versions of the database, so consumers must release it soon.
public struct CommittedChange: Sendable {
  /// The commit's number.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970.
  public var wallMilliseconds: Int64
  /// The changed locations, including those of which only the priority changed; complete.
  public var paths: [Path]
  /// The database before.
  public var oldRoot: Node
  /// The database after.
  public var newRoot: Node
  /// The author. On-disconnect writes have the connection's identity.
  public var principal: Principal
}
