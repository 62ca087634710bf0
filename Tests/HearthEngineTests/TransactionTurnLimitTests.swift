import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of the limits of turns, and that turns leave no state.
@Suite struct TransactionTurnLimitTests {
  private typealias Counters = TransactionTurnTests.Counters

  @Test func `when the limit of waiting writes is reached, a write is decided on arrival`() throws {
    var limits = EngineLimits()
    limits.turnWaitersPerLocationMax = 1
    var fixture = try Counters(people: 4, limits: limits)
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 1) == [])
    #expect(try fixture.swap(4, nil, 1) == ["4 stale 1"])
    #expect(try fixture.swap(4, 1, 2) == ["4 written 2"])

    limits = EngineLimits()
    limits.turnLocationsMax = 1
    fixture = try Counters(people: 4, limits: limits)
    for path in ["/c", "/d"] { _ = try fixture.step("1 put \(path) 1") }
    for path in ["/c", "/d"] { #expect(try fixture.swap(2, nil, 2, at: path) == ["2 stale 1"]) }
    #expect(try fixture.swap(3, nil, 2, at: "/c") == [])
    #expect(try fixture.swap(3, nil, 2, at: "/d") == ["3 stale 1"])

    limits = EngineLimits()
    limits.turnWaitersPerConnectionMax = 2
    fixture = try Counters(people: 3, limits: limits)
    for path in ["/c", "/d", "/e"] {
      _ = try fixture.step("1 put \(path) 1")
      _ = try fixture.swap(2, nil, 2, at: path)
    }
    #expect(try ["/c", "/d", "/e"].map { try fixture.swap(3, nil, 2, at: $0) } == [[], [], ["3 stale 1"]])
    limits.turnWaitingBytesMax = 0
    fixture = try Counters(people: 3, limits: limits)
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 1) == [])
    #expect(try fixture.swap(1, 1, 2) == ["1 written 2"])
  }

  @Test(arguments: 1...4)
  func `ended clients leave no state`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var fixture = try Counters(people: 8)
    for _ in 0..<3_000 {
      let who = Int.random(in: 1...8, using: &random)
      let path = ["/", "/a", "/a/x", "/a/x/n", "/b", "/b/y"].randomElement(using: &random) ?? "/"
      switch Int.random(in: 0..<12, using: &random) {
      case 0: _ = try fixture.step("\(who) disconnect")
      case 1: _ = try fixture.pass(milliseconds: Int64.random(in: 0..<700, using: &random))
      case 2: _ = try fixture.step("\(who) put \(path) 1")
      case 3: _ = try fixture.step("\(who) unauth")
      case 4: _ = try fixture.step("\(who) unlisten \(path)")
      default:
        _ = try fixture.step("\(who) connect")
        let node = fixture.scenario.engine.state.root[Path(path)]
        let hash = Bool.random(using: &random) ? node.simpleHash() : "x"
        _ = try fixture.step("\(who) swap \(hash.isEmpty ? "-" : hash) \(path) 2")
      }
    }
    for _ in 0..<200 { _ = try fixture.pass(milliseconds: 1_000) }
    #expect(fixture.turns.isIdle && fixture.turns.waitingCount == 0 && fixture.turns.sizeBytes == 0)
    #expect(
      fixture.turns.queuesBelow.isEmpty && fixture.turns.openTurns.isEmpty && fixture.turns.undelivered.isEmpty,
      "\(fixture.turns)")
    for who in 1...8 { _ = try fixture.step("\(who) disconnect") }
    #expect(fixture.turns.contenders.isEmpty)
  }
}
