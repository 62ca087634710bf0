import HearthTree

/// Notes which places commits change, for who looks at that.
package struct PlaceTap: Sendable {
  /// Whether anybody looks.
  package var isOn = false
  private var commits: [[Path]] = []

  /// Of a commit that changes more places it is told where it was made.
  private static let placesPerCommitMax = 1_000

  mutating func note(_ commit: Commit) {
    guard isOn else { return }
    let isMuch = commit.changes.count > Self.placesPerCommitMax
    commits.append(isMuch ? [commit.base] : commit.changes.map(\.location.path))
  }

  /// What was noted since it was last asked.
  mutating func take() -> [[Path]] {
    if commits.isEmpty { return [] }
    defer { commits = [] }
    return commits
  }
}
