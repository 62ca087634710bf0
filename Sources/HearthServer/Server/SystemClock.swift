import Glibc
import HearthEngine

/// The machine's clocks. Everything below this layer is handed what they said.
enum SystemClock {
  static var now: Instant {
    Instant(
      wallMilliseconds: milliseconds(CLOCK_REALTIME), monotonicMilliseconds: milliseconds(CLOCK_MONOTONIC))
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
