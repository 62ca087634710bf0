import HearthTrial
import ServerTestKit
import Testing

@testable import HearthGateway

/// Tests of the conditions for promoting staged rules, and for rolling promoted ones back.
@Suite struct PromotionTests {
  /// A counter of traffic that the test sets, with the same seconds as the real one.
  private struct Clock {
    var now: Int64 = 5_400
    var denied: [(at: Int64, count: Int)] = []

    func count(_ milliseconds: Int64) -> TrafficCount {
      var count = TrafficCount()
      let first = now / 1_000 - milliseconds / 1_000 + 1
      for entry in denied where (first...now / 1_000).contains(entry.at / 1_000) { count.deniedCount += entry.count }
      return count
    }
  }

  @Test("denials before the promotion are not counted, also of the same second, and none twice in an hour")
  func trafficSince() {
    var clock = Clock()
    clock.denied = [(at: 4_000, count: 7), (at: 5_100, count: 3)]
    var since = TrafficSince(nowMonotonicMilliseconds: clock.now) { clock.count($0) }
    since.update(nowMonotonicMilliseconds: clock.now) { clock.count($0) }
    #expect(since.deniedCount == 0)
    clock.denied.append((at: 5_500, count: 2))
    clock.now = 5_900
    since.update(nowMonotonicMilliseconds: clock.now) { clock.count($0) }
    #expect(since.deniedCount == 2)
    for second in 6...3_600 as ClosedRange<Int64> {
      clock.now = second * 1_000
      clock.denied = clock.denied.suffix(1_000) + [(at: clock.now, count: 1)]
      since.update(nowMonotonicMilliseconds: clock.now) { clock.count($0) }
      #expect(since.deniedCount == 2 + Int(second - 5))
    }
  }

  @Test("the allowed ratio refers to the same length of time before, and a few denials are always allowed")
  func ratio() {
    var watch = PromotionBounds.Watch(seconds: 600)
    watch.denialsRatioMax = 2
    func most(_ denials: Int, _ milliseconds: Int64) -> Int64? {
      watch.bounds(from: 1_000, backTo: 4, denialsBefore: denials, in: milliseconds).denialsMax
    }
    #expect(most(100, 600_000) == 200)
    #expect(most(100, 60_000) == 2_000)
    #expect(most(0, 600_000) == 10)
    #expect(most(.max, 0) == 1_000_000_000_000_000)
    watch.denialsMax = 50
    #expect(most(100, 600_000) == 50)
    #expect(most(0, 600_000) == 10)
    let bounds = watch.bounds(from: 1_000, backTo: 4, denialsBefore: 0, in: 1)
    #expect(bounds.endMilliseconds == 601_000 && bounds.formerID == 4 && bounds.cancelledMax == nil)
    #expect(RollbackBounds(bounds.json) == bounds)
  }

  @Test("each limit is compared with its own count, and an undecided listen counts as cancelled")
  func bounds() {
    var report = TrialReport(startedMilliseconds: 0)
    (report.judgedCount, report.closedCount, report.openedCount, report.undecidedCount) = (10, 1, 2, 4)
    var forecast = TrialForecast(startedMilliseconds: 0)
    forecast.state = .complete
    (forecast.listeners.cancelledCount, forecast.listeners.undecidedCount) = (5, 1)
    (forecast.data.failedCount, forecast.data.alreadyFailingCount) = (9, 7)
    report.forecast = forecast
    func exceeded(_ change: (inout PromotionBounds) -> Void = { _ in }) -> [String] {
      var bounds = PromotionBounds()
      change(&bounds)
      return TrialFigures(report).excesses(of: bounds).map { "\($0.bound) \($0.limit) \($0.found)" }
    }
    #expect(exceeded() == ["maxFlips 0 7", "maxCancelled 0 6", "maxInvalid 0 2"])
    #expect(exceeded { ($0.flipsMax, $0.cancelledMax, $0.invalidMax) = (7, 6, 2) } == [])
    #expect(
      exceeded { ($0.flipsMax, $0.cancelledMax, $0.invalidMax) = (6, 6, 1) } == ["maxFlips 6 7", "maxInvalid 1 2"])
    #expect(exceeded { ($0.flipsMax, $0.cancelledMax, $0.invalidMax) = (nil, nil, nil) } == [])
    #expect(
      exceeded {
        $0 = .none
        $0.judgedMin = 11
      } == ["minJudged 11 10"])
    report.forecast?.state = .timedOut
    #expect(exceeded { ($0.flipsMax, $0.cancelledMax, $0.invalidMax) = (7, 6, 2) } == ["forecast 0 0"])
    #expect(exceeded { ($0.flipsMax, $0.cancelledMax, $0.invalidMax) = (7, nil, nil) } == [])
    report.forecast = nil
    #expect(exceeded { $0.flipsMax = 7 } == ["forecast 0 0"])
  }
  @Test("exceeded limits are described, in singular and plural")
  func words() {
    var report = TrialReport(startedMilliseconds: 0)
    (report.judgedCount, report.closedCount) = (1, 1)
    var bounds = PromotionBounds()
    (bounds.judgedMin, bounds.cancelledMax, bounds.invalidMax) = (2, nil, nil)
    func texts() -> [String] { TrialFigures(report).excesses(of: bounds).map(\.text) }
    #expect(
      texts() == ["1 decision was judged, at least 2 wanted", "1 decision would change, at most 0 allowed"])
    report.closedCount = 2
    #expect(texts().last == "2 decisions would change, at most 0 allowed")
  }
}
