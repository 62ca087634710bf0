/// An instant on a node's own monotonic clock, which goes on while the process is suspended. Instants of two nodes are
/// never compared: a node stamps its messages and gets its own stamp back.
package struct MonotonicInstant: Sendable, Hashable, Comparable {
  /// The milliseconds since an arbitrary instant of this node.
  package var milliseconds: Int64

  /// The instant that many milliseconds after the clock's start.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// An instant before all others.
  package static let distantPast = MonotonicInstant(milliseconds: .min)

  /// Returns the instant that much later, or the end of the clock.
  package func advanced(by milliseconds: Int64) -> MonotonicInstant {
    let (sum, isOver) = self.milliseconds.addingReportingOverflow(milliseconds)
    return MonotonicInstant(milliseconds: isOver ? (milliseconds > 0 ? .max : .min) : sum)
  }

  /// Returns true when at least that time has passed since an earlier instant.
  package func isAtLeast(_ milliseconds: Int64, after earlier: MonotonicInstant) -> Bool {
    self >= earlier.advanced(by: milliseconds)
  }

  package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
