/// An instant on a node's own monotonic clock, which goes on while the process is suspended. Instants of two nodes are
/// never compared: a node puts a stamp into its messages, and the answer returns the same stamp.
package struct MonotonicInstant: Sendable, Hashable, Comparable {
  /// The milliseconds since an arbitrary start of the node's clock.
  package var milliseconds: Int64

  /// Creates the instant `milliseconds` after the start of the clock.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// An instant before all others.
  package static let distantPast = MonotonicInstant(milliseconds: .min)

  /// Returns the instant `milliseconds` later, clamped to the largest value.
  package func advanced(by milliseconds: Int64) -> MonotonicInstant {
    let (sum, isOver) = self.milliseconds.addingReportingOverflow(milliseconds)
    return MonotonicInstant(milliseconds: isOver ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// Returns true when at least `milliseconds` have passed since an earlier instant.
  package func isAtLeast(_ milliseconds: Int64, after earlier: MonotonicInstant) -> Bool {
    self >= earlier.advanced(by: milliseconds)
  }

  package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
