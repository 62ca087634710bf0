import HearthTree

extension Engine {
  /// Of a commit that changes more places it is told where it was made.
  private static let placesPerCommitMax = 1_000

  /// Hands out the places that commits change in ``Batch/places`` from now on, or no longer.
  public mutating func tapPlaces(_ isOn: Bool) {
    if isOn != (places != nil) { places = isOn ? [] : nil }
  }

  mutating func notePlaces(of commit: Commit) {
    guard places != nil else { return }
    let paths =
      commit.changes.count > Self.placesPerCommitMax ? [commit.base] : commit.changes.map(\.location.path)
    places?.append(paths)
  }
}
