/// How old the state may be that a replica's listens are served from.
///
/// A replica's question bears a stamp of its own clock, and the owner's beat brings it back together with where the log
/// stands. A beat that was on its way for long says so by itself, however the clocks of the two nodes differ: the state at
/// that position was the newest one when the question was sent, or later.
struct Freshness: Sendable {
  /// No commit from before this moment is missing.
  private(set) var asOf = MonotonicInstant.distantPast
  private var awaited: (position: Int64, stamp: MonotonicInstant)?

  /// The log stood at `position` at some moment after `stamp`.
  mutating func note(position: Int64, stamp: MonotonicInstant, applied: Int64) {
    if applied >= position {
      asOf = max(asOf, stamp)
    } else if position < awaited?.position ?? .max {
      // The nearer one is reached first; a further one comes again with the next beat.
      awaited = (position, stamp)
    }
  }

  /// Everything up to a position was applied.
  mutating func applied(_ position: Int64) {
    guard let awaited, position >= awaited.position else { return }
    asOf = max(asOf, awaited.stamp)
    self.awaited = nil
  }
}
