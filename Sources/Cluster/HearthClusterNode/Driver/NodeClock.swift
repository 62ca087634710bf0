import Glibc
import HearthCluster

/// The monotonic clock of a node.
package protocol NodeClock: Sendable {
  /// The current instant, which never goes back and goes on while the process is suspended.
  var now: MonotonicInstant { get }
}

/// The machine's monotonic clock, which also advances while the machine sleeps: a node that was asleep must not rely on
/// its lease.
package struct MachineClock: NodeClock {
  /// Creates the clock.
  package init() {}

  /// The milliseconds since the machine's start.
  package var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return MonotonicInstant(milliseconds: Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000)
  }
}
