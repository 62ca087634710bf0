import HearthTree

/// Notes which places commits change, for who looks at that.
package struct PlaceTap: Sendable {
  /// True when anybody looks.
  package var isOn = false
  private var places = CommitPlaces()

  /// Of a commit that changes more places it is told where it was made.
  private static let placesPerCommitMax = 1_000

  mutating func note(_ commit: Commit) {
    guard isOn else { return }
    switch commit.changes.count {
    case 1: places.append(commit.changes[0].location.path)
    case ...Self.placesPerCommitMax: places.append(commit.changes.lazy.map(\.location.path))
    default: places.append(commit.base)
    }
  }

  /// What was noted since it was last asked.
  mutating func take() -> CommitPlaces {
    if places.isEmpty { return places }
    defer { places = CommitPlaces() }
    return places
  }
}
