#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clocks of this machine.
struct ConnectionClock: Sendable {
  private let start = ContinuousClock.now

  /// The current time of both clocks. The monotonic clock starts with the creation of this value, and also advances
  /// while the machine sleeps.
  var now: ConnectionTime {
    ConnectionTime(monotonic: Self.milliseconds(start.duration(to: .now)), wall: Self.wallMilliseconds)
  }

  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  private static var wallMilliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
