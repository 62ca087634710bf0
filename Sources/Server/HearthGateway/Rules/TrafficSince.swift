import HearthTrial

/// The number of denials and cancellations since a start time, computed from a meter of the last minutes in whole
/// seconds.
struct TrafficSince {
  /// Returns the counts of the last milliseconds, including the current second.
  typealias Meter = (_ inLastMilliseconds: Int64) -> TrafficCount

  /// The maximum seconds to ask for: well below the meter's range.
  private static let secondsMax: Int64 = 300

  private(set) var deniedCount = 0
  private(set) var cancelledCount = 0
  /// The first second that is still asked for, on the monotonic clock.
  private var second: Int64
  /// The counts of that second before the start, and the known counts since.
  private var before: TrafficCount
  private var known = TrafficCount()

  init(nowMonotonicMilliseconds now: Int64, _ meter: Meter) {
    second = now / 1_000
    before = meter(1_000)
  }

  /// Updates the counts. To be called every few minutes at least.
  mutating func update(nowMonotonicMilliseconds now: Int64, _ meter: Meter) {
    let elapsed = max(0, now / 1_000 - second)
    let all = meter((elapsed + 1) * 1_000)
    deniedCount = known.deniedCount + max(0, all.deniedCount - before.deniedCount)
    cancelledCount = known.cancelledCount + max(0, all.cancelledCount - before.cancelledCount)
    guard elapsed >= Self.secondsMax else { return }
    (known.deniedCount, known.cancelledCount) = (deniedCount, cancelledCount)
    (second, before) = (now / 1_000, meter(1_000))
  }
}
