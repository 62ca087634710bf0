import HearthTree

/// The locations that commits changed, one commit after the other.
public struct CommitLocations: Sendable {
  /// All locations in one array, with the end of each commit's part, so that a commit needs no allocation of its own.
  private var paths: [Path] = []
  private var ends: [Int] = []

  /// Creates an empty list.
  public init() {}

  /// True when there is no commit.
  public var isEmpty: Bool { ends.isEmpty }

  /// Adds the only location of the next commit.
  package mutating func append(_ place: Path) {
    paths.append(place)
    ends.append(paths.count)
  }

  /// Adds the locations of the next commit.
  package mutating func append(_ places: some Sequence<Path>) {
    paths.append(contentsOf: places)
    ends.append(paths.count)
  }

  /// Calls `body` for each location, with the number of the commit that changed it, from 0.
  package func visit(_ body: (_ commit: Int, _ place: Path) -> Void) {
    var commit = 0
    for index in paths.indices {
      while index >= ends[commit] { commit += 1 }
      body(commit, paths[index])
    }
  }

  /// The number of commits.
  package var count: Int { ends.count }
}
