#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The machine's clocks.
public enum Clock {
  /// Milliseconds since 1970, as the machine is set.
  public static var wallMilliseconds: Int64 { milliseconds(CLOCK_REALTIME) }

  /// The milliseconds of the monotonic clock, with an arbitrary start.
  public static var monotonicMilliseconds: Int64 { milliseconds(CLOCK_MONOTONIC) }

  /// Nanoseconds on the same clock as ``monotonicMilliseconds``.
  public static var monotonicNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
