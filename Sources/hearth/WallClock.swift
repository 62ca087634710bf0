import Glibc

/// The machine's clocks, read here and handed down: the layers below read none.
enum WallClock {
  /// Seconds since 1970.
  static var nowSeconds: Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

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
