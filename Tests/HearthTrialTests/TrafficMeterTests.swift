import HearthEngine
import Testing

@testable import HearthTrial

@Suite struct TrafficMeterTests {
  private static func decided(allowed: Int = 0, denied: Int = 0, cancelled: Int = 0) -> RecordedDecisions {
    var decided = RecordedDecisions()
    (decided.allowedCount, decided.deniedCount, decided.cancelledCount) = (allowed, denied, cancelled)
    return decided
  }

  @Test("decisions before and after a time are counted separately")
  func beforeAndAfter() {
    var meter = TrafficMeter()
    for second in Int64(100)..<160 {
      meter.add(Self.decided(allowed: 9, denied: 1), atMonotonicMilliseconds: second * 1_000)
    }
    let before = meter.count(inLastMilliseconds: 60_000, nowMonotonicMilliseconds: 159_999)
    #expect(before.decidedCount == 600 && before.deniedShare == 0.1 && before.milliseconds == 60_000)
    meter.add(Self.decided(denied: 30, cancelled: 4), atMonotonicMilliseconds: 160_500)
    let after = meter.count(inLastMilliseconds: 1_000, nowMonotonicMilliseconds: 160_900)
    #expect((after.allowedCount, after.deniedCount, after.cancelledCount) == (0, 30, 4))
    #expect(after.deniedShare == 1)
  }

  @Test("counts older than ten minutes are dropped, and their slot is reused")
  func forgets() {
    var meter = TrafficMeter()
    meter.add(Self.decided(allowed: 5), atMonotonicMilliseconds: 1_000)
    meter.add(Self.decided(allowed: 7), atMonotonicMilliseconds: 601_000)
    let count = meter.count(inLastMilliseconds: .max, nowMonotonicMilliseconds: 601_500)
    #expect(count.allowedCount == 7 && count.milliseconds == 600_000)
    #expect(meter.count(inLastMilliseconds: -5, nowMonotonicMilliseconds: 0).decidedCount == 0)
    #expect(TrafficCount().deniedShare == 0)
  }
}
