/// One moment, told by both clocks. The engine reads no clock: every decision is handed the moment it is made at.
public struct Instant: Sendable, Hashable {
  /// Milliseconds since 1970, as rules see it in `now` and as server timestamps store it. May be set back.
  public var wallMilliseconds: Int64

  /// Milliseconds of a clock that never goes back. Deadlines are told by it.
  public var monotonicMilliseconds: Int64

  /// Both clocks at one moment.
  public init(wallMilliseconds: Int64, monotonicMilliseconds: Int64) {
    self.wallMilliseconds = wallMilliseconds
    self.monotonicMilliseconds = monotonicMilliseconds
  }
}
