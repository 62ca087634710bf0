import HearthEngine
import HearthTree

/// One commit that changed a location.
public struct HistoryChange: Sendable {
  /// The commit's position.
  public var position: Int64
  /// The commit's time, in milliseconds since 1970.
  public var wallMilliseconds: Int64
  /// The author of the commit; nil when it was not recorded.
  public var author: CommitAuthor?
  /// The rules that allowed the commit; nil when they were not recorded, or no rule was evaluated.
  public var grant: CommitGrant?
  /// The value before the commit.
  public var from: Node
  /// The value after the commit.
  public var to: Node
}

/// One page of a location's history, the newest change first.
public struct HistoryPage: Sendable {
  /// The changes.
  public var changes: [HistoryChange] = []
  /// The position before which older changes lie; nil when none are retained.
  public var before: Int64?
  /// The oldest retained position.
  public var oldestPosition: Int64

  /// Creates a page without changes.
  init(oldestPosition: Int64) { self.oldestPosition = oldestPosition }
}
