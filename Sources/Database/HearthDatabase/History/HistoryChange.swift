import HearthEngine
import HearthTree

/// One commit that made a place different.
public struct HistoryChange: Sendable {
  /// The commit.
  public var position: Int64
  /// Its time, in milliseconds since 1970.
  public var wallMilliseconds: Int64
  /// Who made it; nil where nobody kept that.
  public var author: CommitAuthor?
  /// By which rules it was allowed; nil where nobody kept that, and where no rule was asked.
  public var grant: CommitGrant?
  /// What was there before.
  public var from: Node
  /// What was there after.
  public var to: Node
}

/// A page of what happened to a place, the newest first.
public struct HistoryPage: Sendable {
  /// The changes.
  public var changes: [HistoryChange] = []
  /// Older ones are before this position; nil when there are none that are kept.
  public var before: Int64?
  /// The place where what is kept begins.
  public var oldestPosition: Int64

  /// A page without changes.
  init(oldestPosition: Int64) { self.oldestPosition = oldestPosition }
}
