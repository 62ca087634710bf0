import HearthRules
import HearthTree
import Testing

@testable import HearthServer

/// Tests of rules coverage in the last hour and the last day, on a clock that the test controls.
@Suite struct CoverageHistoryTests {
  private static let minute: Int64 = 60_000
  private static let source = #"{"rules":{"a":{".read":"auth != null"}}}"#

  /// Rules with coverage counts, and requests to them.
  private struct Counted {
    let rules: RuleSet
    let coverage: RulesCoverage

    init() throws {
      rules = try RuleSet.compile(CoverageHistoryTests.source).counted
      coverage = try #require(rules.coverage)
    }

    func read(_ count: Int, as auth: JSON?) {
      for _ in 0..<count {
        let request = ReadRequest(path: Path("/a"), root: .empty, auth: auth, nowMilliseconds: 0)
        _ = rules.decide(.read(request))
      }
    }
  }

  private let somebody = JSON.object([.init("uid", .string("ann"))])

  private func text(_ members: [JSON.Member]) -> String { String(decoding: JSON.object(members).text(), as: UTF8.self) }

  @Test("a window begins at the last sample that is at least as old as the window")
  func windows() throws {
    let (history, counted) = (CoverageHistory(), try Counted())
    // Every five minutes, for two hours: one allowed request, and every second time a denied one.
    for turn in 0...24 {
      let now = Int64(turn) * 5 * Self.minute
      history.take([("one", counted.coverage)], monotonic: now, at: 1_000_000 + now)
      counted.read(1, as: somebody)
      if turn.isMultiple(of: 2) { counted.read(1, as: nil) }
    }
    let now = 120 * Self.minute
    let hour = history.members(of: "one", counted.coverage, .hour, monotonic: now)
    #expect(text(hour) == #"{"since":\#(1_000_000 + 60 * Self.minute),"before":[[12,18]]}"#)
    #expect(history.members(of: "one", counted.coverage, .day, monotonic: now).isEmpty, "all of it is of the last day")
    #expect(history.members(of: "two", counted.coverage, .hour, monotonic: now).isEmpty)
  }

  @Test("rules that were deployed since then count from zero")
  func deployed() throws {
    let (history, before, after) = (CoverageHistory(), try Counted(), try Counted())
    before.read(5, as: somebody)
    history.take([("one", before.coverage)], monotonic: 0, at: 0)
    let now = 90 * Self.minute
    #expect(history.members(of: "one", after.coverage, .hour, monotonic: now).isEmpty)
    history.take([("one", after.coverage)], monotonic: now, at: now)
    #expect(history.members(of: "one", before.coverage, .hour, monotonic: now).isEmpty)
    after.read(3, as: somebody)
    let later = now + 61 * Self.minute
    #expect(
      text(history.members(of: "one", after.coverage, .hour, monotonic: later))
        == #"{"since":\#(now),"before":[[0,0]]}"#)
  }

  @Test("a day of samples stays few, and the window of a day begins at most an hour early")
  func thinned() throws {
    let (history, counted) = (CoverageHistory(), try Counted())
    for turn in 0...600 {
      history.take([("one", counted.coverage)], monotonic: Int64(turn) * 5 * Self.minute, at: Int64(turn))
      counted.read(1, as: nil)
    }
    let now = 600 * 5 * Self.minute
    let day = JSON.object(history.members(of: "one", counted.coverage, .day, monotonic: now))
    // A day has 288 samples of five minutes.
    let since = try #require(day["since"]?.int)
    #expect((299...312).contains(since))
    #expect(day["before"]?.array?.first?.array?.last?.int == since, "one request between samples")
    #expect(history.sampleCount(of: "one") <= 24 + 14 + 2)
  }
}
