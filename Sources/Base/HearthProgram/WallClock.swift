import Glibc

/// The machine's clocks. Programs read them here and pass the times on; lower layers do not read clocks.
package enum WallClock {
  /// Seconds since 1970.
  package static var nowSeconds: Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

  /// Milliseconds since 1970.
  package static var nowMilliseconds: Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  /// Nanoseconds of a clock that never goes back.
  package static var monotonicNanoseconds: Int64 {
    let time = read(CLOCK_MONOTONIC)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Returns the seconds that have passed since a reading of ``monotonicNanoseconds``.
  package static func seconds(since started: Int64) -> Double { Double(monotonicNanoseconds - started) / 1e9 }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
