import HearthTree

/// A recorder of the locations that commits change.
package struct LocationRecorder: Sendable {
  /// True while changes are recorded.
  package var isOn = false
  private var places = CommitLocations()

  /// The most locations of one commit. A commit with more is recorded as a change of the location of the write.
  private static let locationsPerCommitMax = 1_000

  mutating func note(_ commit: Commit) {
    guard isOn else { return }
    switch commit.changes.count {
    case 1: places.append(commit.changes[0].location.path)
    case ...Self.locationsPerCommitMax: places.append(commit.changes.lazy.map(\.location.path))
    default: places.append(commit.base)
    }
  }

  /// Returns the locations recorded since the last call.
  mutating func take() -> CommitLocations {
    if places.isEmpty { return places }
    defer { places = CommitLocations() }
    return places
  }
}
