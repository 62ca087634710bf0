/// The age of the state that a replica serves listens from.
///
/// A replica's pulse carries a stamp of its own clock, and the owner's beat returns it together with the end of the
/// log. A delayed beat thus shows its age, without a comparison of two nodes' clocks: the state at that position was
/// the newest one at the time of the pulse or later.
struct Freshness: Sendable {
  /// The instant before which no commit is missing.
  private(set) var asOf = MonotonicInstant.distantPast
  private var awaited: (position: Int64, stamp: MonotonicInstant)?

  /// Notes that the log ended at `position` at some instant after `stamp`.
  mutating func note(position: Int64, stamp: MonotonicInstant, applied: Int64) {
    if applied >= position {
      asOf = max(asOf, stamp)
    } else if position < awaited?.position ?? .max {
      // Keeps the lower position, which is reached first; the higher one comes again with the next beat.
      awaited = (position, stamp)
    }
  }

  /// Notes that everything up to a position was applied.
  mutating func applied(_ position: Int64) {
    guard let awaited, position >= awaited.position else { return }
    asOf = max(asOf, awaited.stamp)
    self.awaited = nil
  }
}
