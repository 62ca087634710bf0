import Glibc
import HearthCluster

/// A node's own clock.
package protocol NodeClock: Sendable {
  /// Never goes back, and goes on while the process is stopped.
  var now: MonotonicInstant { get }
}

/// The machine's clock since it began, the time included that it slept: a node that was asleep must not believe in a lease.
package struct MachineClock: NodeClock {
  /// The one there is.
  package init() {}

  /// Milliseconds since the machine began.
  package var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return MonotonicInstant(milliseconds: Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000)
  }
}
