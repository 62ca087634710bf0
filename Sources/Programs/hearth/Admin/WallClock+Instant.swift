import HearthEngine
import HearthProgram

extension WallClock {
  /// Both clocks at once, as the layers below take them.
  static var instant: Instant {
    Instant(wallMilliseconds: nowMilliseconds, monotonicMilliseconds: monotonicNanoseconds / 1_000_000)
  }
}
