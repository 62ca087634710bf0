import HearthTree

/// What changed, once for all who are told the same: the edge encodes it once and sends the same bytes to every
/// recipient.
public final class Event: Sendable {
  /// What happened at ``path``.
  public enum Change: Sendable {
    /// Everything at the path is replaced by this; ``Node/empty`` removes it.
    case put(Node)

    /// These places below the path are replaced together.
    case merge([Entry])

    /// These ranges of the leaves below the path are replaced; only for a listen that sent a compound hash.
    case ranges([RangeMerge])
  }

  /// One place of a merge, and what is there now.
  public struct Entry: Sendable {
    /// Relative to the event's path; at least one key long. The last key may be `.priority`.
    public var path: Path
    /// What is there now; empty when nothing is.
    public var node: Node
  }

  /// From the root. The last key is `.priority` when only a priority changed; the node is then a bare leaf, or empty.
  public let path: Path

  /// What is different.
  public let change: Change

  /// The commit that this tells of; for a first value the last commit in it.
  public let position: Int64

  /// An event of these parts.
  public init(path: Path, change: Change, position: Int64) {
    self.path = path
    self.change = change
    self.position = position
  }
}
