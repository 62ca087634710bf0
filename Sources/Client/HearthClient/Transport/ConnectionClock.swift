#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clocks of this machine.
struct ConnectionClock: Sendable {
  /// The monotonic clock that also advances while the machine sleeps.
  #if canImport(Darwin)
    private static let monotonic = CLOCK_MONOTONIC
  #else
    private static let monotonic = CLOCK_BOOTTIME
  #endif

  private let startMilliseconds = milliseconds(of: monotonic)

  /// The current time of both clocks. The monotonic clock starts with the creation of this value, and also advances
  /// while the machine sleeps.
  var now: ConnectionTime {
    ConnectionTime(
      monotonic: Self.milliseconds(of: Self.monotonic) - startMilliseconds, wall: Self.milliseconds(of: CLOCK_REALTIME))
  }

  private static func milliseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
