/// A moment on a node's own clock that never goes back and goes on while the process is stopped. Moments of two nodes
/// cannot be compared, and nothing here does: a node stamps what it sends, and gets its own stamp back.
package struct MonotonicInstant: Sendable, Hashable, Comparable {
  /// Since some moment that only this node knows.
  package var milliseconds: Int64

  /// That many milliseconds since the clock's own beginning.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Before every other moment.
  package static let distantPast = MonotonicInstant(milliseconds: .min)

  /// So much later, or the end of the clock.
  package func advanced(by milliseconds: Int64) -> MonotonicInstant {
    let (sum, isOver) = self.milliseconds.addingReportingOverflow(milliseconds)
    return MonotonicInstant(milliseconds: isOver ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// Returns true when at least so much has passed since an earlier moment.
  package func isAtLeast(_ milliseconds: Int64, after earlier: MonotonicInstant) -> Bool {
    self >= earlier.advanced(by: milliseconds)
  }

  package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
