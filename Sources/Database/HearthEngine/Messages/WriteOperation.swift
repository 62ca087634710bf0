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

  /// What is written.
  public var change: Change

  /// The simple hash of what the caller believes to be at ``path``, or the exact one behind its mark; when it is something
  /// else, nothing is written and the answer is `.stale`. The empty text means "nothing is there". nil does not compare. A
  /// caller who may not read there is refused before anything is compared.
  public var expectedHash: String?

  /// Places whose new values the answer shows to the writer. Without the right to read all of them after the write the
  /// answer is `.ok`, which shows nothing.
  public var shownPaths: [Path]

  /// True when it is handed to those who make something of commits.
  public var firesTriggers = true

  /// A write of these parts.
  public init(_ change: Change, expectedHash: String? = nil, shownPaths: [Path] = []) {
    self.change = change
    self.expectedHash = expectedHash
    self.shownPaths = shownPaths
  }

  /// The place that the request names: for a priority, the node that carries it.
  public var path: Path {
    switch change {
    case .put(let location, _): location.path
    case .merge(let path, _): path
    }
  }
}

extension WriteOperation.Change {
  /// There may be more stored after it. Otherwise what is at its places goes away.
  public var bringsData: Bool {
    switch self {
    case .put(_, let value): value.bringsData
    case .merge(_, let writes): writes.contains { $0.value.bringsData }
    }
  }
}
