import HearthTree

/// The places that commits changed, of one commit after the other.
public struct CommitPlaces: Sendable {
  /// All places in one array, and where those of each commit end: a commit takes no memory of its own.
  private var paths: [Path] = []
  private var ends: [Int] = []

  /// Of no commit.
  public init() {}

  /// True when there is no commit.
  public var isEmpty: Bool { ends.isEmpty }

  /// Takes the only place of the next commit.
  package mutating func append(_ place: Path) {
    paths.append(place)
    ends.append(paths.count)
  }

  /// Takes the places of the next commit.
  package mutating func append(_ places: some Sequence<Path>) {
    paths.append(contentsOf: places)
    ends.append(paths.count)
  }

  /// Calls `body` for each place, with the number of the commit that changed it, from 0.
  package func visit(_ body: (_ commit: Int, _ place: Path) -> Void) {
    var commit = 0
    for index in paths.indices {
      while index >= ends[commit] { commit += 1 }
      body(commit, paths[index])
    }
  }

  /// The number of commits that there are.
  package var count: Int { ends.count }
}
