import HearthTree

/// One atomic change of the tree.
public struct WriteOperation: Sendable {
  /// Where, and what.
  public enum Change: Sendable {
    /// Replace what is at a place, or the priority of a place.
    case put(Location, WriteValue)

    /// Replace at several places together. Their locations are relative to the path; none contains another.
    case merge(Path, [Write])
  }

  public var change: Change

  /// The simple hash of what the caller believes to be at ``path``; when it is something else, nothing is written and
  /// the answer is `.stale`. The empty text means "nothing is there". nil does not compare.
  /// For who may read there the comparison comes before the rules, for others after them.
  public var expectedHash: String?

  public init(_ change: Change, expectedHash: String? = nil) {
    self.change = change
    self.expectedHash = expectedHash
  }

  /// The place that the request names: for a priority, the node that carries it.
  public var path: Path {
    switch change {
    case .put(let location, _): location.path
    case .merge(let path, _): path
    }
  }
}
