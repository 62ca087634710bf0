import HearthEngine
import HearthSystem

/// The machine's clocks. Everything below this layer is handed what they said.
package enum SystemClock {
  /// What both say at this moment, in milliseconds.
  package static var now: Instant {
    Instant(wallMilliseconds: Clock.wallMilliseconds, monotonicMilliseconds: Clock.monotonicMilliseconds)
  }
}
