import HearthEngine
import HearthSystem

/// The machine's clocks. Code below this layer gets their readings as parameters.
package enum SystemClock {
  /// The current reading of both, in milliseconds.
  package static var now: Instant {
    Instant(wallMilliseconds: Clock.wallMilliseconds, monotonicMilliseconds: Clock.monotonicMilliseconds)
  }
}
