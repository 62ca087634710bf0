import HearthTrial

/// How much was denied and cancelled from one moment on, out of counts that are told for the last minutes and in whole
/// seconds alone.
struct TrafficSince {
  /// What was counted in a number of milliseconds up to now, the second under way among them.
  typealias Meter = (_ inLastMilliseconds: Int64) -> TrafficCount

  /// Well below what a meter tells of.
  private static let secondsMax: Int64 = 300

  private(set) var deniedCount = 0
  private(set) var cancelledCount = 0
  /// The first second that is still asked about, on the monotonic clock.
  private var second: Int64
  /// What is not counted of it, and what is known of the time before.
  private var before: TrafficCount
  private var known = TrafficCount()

  init(nowMonotonicMilliseconds now: Int64, _ meter: Meter) {
    second = now / 1_000
    before = meter(1_000)
  }

  /// Brings the counts up to now. To be called every few minutes at least.
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
