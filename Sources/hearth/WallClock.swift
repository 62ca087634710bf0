import Glibc
import HearthEngine

/// The machine's clocks, read here and handed down: the layers below read none.
enum WallClock {
  /// Seconds since 1970.
  static var nowSeconds: Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

  /// Both clocks at once, as the layers below take them.
  static var instant: Instant {
    let wall = read(CLOCK_REALTIME)
    return Instant(
      wallMilliseconds: Int64(wall.tv_sec) &* 1000 &+ Int64(wall.tv_nsec) / 1_000_000,
      monotonicMilliseconds: monotonicNanoseconds / 1_000_000)
  }

  /// Nanoseconds of a clock that never goes back.
  static var monotonicNanoseconds: Int64 {
    let time = read(CLOCK_MONOTONIC)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Seconds from a moment of ``monotonicNanoseconds`` until now.
  static func seconds(since started: Int64) -> Double { Double(monotonicNanoseconds - started) / 1e9 }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
