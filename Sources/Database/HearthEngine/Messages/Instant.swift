/// A time on both clocks. The engine reads no clock: the caller passes the time of every decision.
public struct Instant: Sendable, Hashable {
  /// The milliseconds since 1970, for `now` in rules and for server timestamps. May go back when the clock is set.
  public var wallMilliseconds: Int64

  /// The milliseconds of a monotonic clock, which deadlines use.
  public var monotonicMilliseconds: Int64

  /// Creates a time from both clocks.
  public init(wallMilliseconds: Int64, monotonicMilliseconds: Int64) {
    self.wallMilliseconds = wallMilliseconds
    self.monotonicMilliseconds = monotonicMilliseconds
  }
}
