import HearthEngine
import HearthProgram

extension WallClock {
  /// The current time of both clocks, in the engine's form.
  static var instant: Instant {
    Instant(wallMilliseconds: nowMilliseconds, monotonicMilliseconds: monotonicNanoseconds / 1_000_000)
  }
}
