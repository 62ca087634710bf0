import HearthTree

/// One atomic change of the tree.
public struct WriteOperation: Sendable {
  /// The locations and data of a write.
  public enum Change: Sendable {
    /// A replacement of the data, or the priority, of a location.
    case put(Location, WriteValue)

    /// A replacement of several locations at once. They are relative to the path; none contains another.
    case merge(Path, [Write])
  }

  /// The change.
  public var change: Change

  /// The simple hash that the caller expects of the data at ``path``, or the exact hash with its prefix; when the data
  /// differs, nothing is written and the answer is `.stale`. The empty text expects no data; nil makes no comparison. A
  /// caller without permission to read the path is refused before any comparison.
  public var expectedHash: String?

  /// The locations whose new values the answer contains. Without permission to read all of them after the write the
  /// answer is `.ok`, without values.
  public var shownPaths: [Path]

  /// True when the commit fires triggers.
  public var firesTriggers = true

  /// Creates a write.
  public init(_ change: Change, expectedHash: String? = nil, shownPaths: [Path] = []) {
    self.change = change
    self.expectedHash = expectedHash
    self.shownPaths = shownPaths
  }

  /// The path of the request: for a priority, the path of the node that has it.
  public var path: Path {
    switch change {
    case .put(let location, _): location.path
    case .merge(let path, _): path
    }
  }
}

extension WriteOperation.Change {
  /// True when the write may store data; otherwise it only removes some.
  public var addsData: Bool {
    switch self {
    case .put(_, let value): value.addsData
    case .merge(_, let writes): writes.contains { $0.value.addsData }
    }
  }
}
