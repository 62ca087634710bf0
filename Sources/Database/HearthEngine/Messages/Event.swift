import HearthTree

/// A change of data, in one object for all its recipients, so that it is encoded only once and the same bytes are sent
/// to each of them.
public final class Event: Sendable {
  /// The change at ``path``.
  public enum Change: Sendable {
    /// A replacement of all data at the path; ``Node/empty`` removes it.
    case put(Node)

    /// A replacement of these locations below the path, all at once.
    case merge([Entry])

    /// A replacement of these ranges of leaves below the path; only for a listen that sent a compound hash.
    case ranges([RangeMerge])
  }

  /// One location of a merge with its new data.
  public struct Entry: Sendable {
    /// The path relative to the event's; at least one key long. The last key may be `.priority`.
    public var path: Path
    /// The new data; empty for a removal.
    public var node: Node
  }

  /// The path from the root. The last key is `.priority` when only a priority changed; the node is then a leaf with the
  /// priority as its value, or empty.
  public let path: Path

  /// The change.
  public let change: Change

  /// The position of the commit; for the first value of a listen, the position of the last commit that it includes.
  public let position: Int64

  /// Creates an event.
  public init(path: Path, change: Change, position: Int64) {
    self.path = path
    self.change = change
    self.position = position
  }
}
