import HearthTree

/// Notes which places commits change, for who looks at that.
package struct PlaceTap: Sendable {
  /// Whether anybody looks.
  package var isOn = false
  private var places = CommitPlaces()

  /// Of a commit that changes more places it is told where it was made.
  private static let placesPerCommitMax = 1_000

  mutating func note(_ commit: Commit) {
    guard isOn else { return }
    let isMuch = commit.changes.count > Self.placesPerCommitMax
    if isMuch {
      places.append(CollectionOfOne(commit.base))
    } else {
      places.append(commit.changes.lazy.map(\.location.path))
    }
  }

  /// What was noted since it was last asked.
  mutating func take() -> CommitPlaces {
    if places.isEmpty { return places }
    defer { places = CommitPlaces() }
    return places
  }
}
