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
    limits.turnWaitersPerPlaceMax = 1
    var world = try Counters(people: 4, limits: limits)
    _ = try world.swap(1, nil, 1)
    #expect(try world.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try world.swap(3, nil, 1) == [])
    #expect(try world.swap(4, nil, 1) == ["4 stale 1"])
    #expect(try world.swap(4, 1, 2) == ["4 written 2"])

    limits = EngineLimits()
    limits.turnLocationsMax = 1
    world = try Counters(people: 4, limits: limits)
    for path in ["/c", "/d"] { _ = try world.step("1 put \(path) 1") }
    for path in ["/c", "/d"] { #expect(try world.swap(2, nil, 2, at: path) == ["2 stale 1"]) }
    #expect(try world.swap(3, nil, 2, at: "/c") == [])
    #expect(try world.swap(3, nil, 2, at: "/d") == ["3 stale 1"])

    limits = EngineLimits()
    limits.turnWaitersPerConnectionMax = 2
    world = try Counters(people: 3, limits: limits)
    for path in ["/c", "/d", "/e"] {
      _ = try world.step("1 put \(path) 1")
      _ = try world.swap(2, nil, 2, at: path)
    }
    #expect(try ["/c", "/d", "/e"].map { try world.swap(3, nil, 2, at: $0) } == [[], [], ["3 stale 1"]])
    limits.turnWaitingBytesMax = 0
    world = try Counters(people: 3, limits: limits)
    _ = try world.swap(1, nil, 1)
    #expect(try world.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try world.swap(3, nil, 1) == [])
    #expect(try world.swap(1, 1, 2) == ["1 written 2"])
  }

  @Test(arguments: 1...4)
  func `ended clients leave no state`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var world = try Counters(people: 8)
    for _ in 0..<3_000 {
      let who = Int.random(in: 1...8, using: &random)
      let path = ["/", "/a", "/a/x", "/a/x/n", "/b", "/b/y"].randomElement(using: &random) ?? "/"
      switch Int.random(in: 0..<12, using: &random) {
      case 0: _ = try world.step("\(who) disconnect")
      case 1: _ = try world.pass(milliseconds: Int64.random(in: 0..<700, using: &random))
      case 2: _ = try world.step("\(who) put \(path) 1")
      case 3: _ = try world.step("\(who) unauth")
      case 4: _ = try world.step("\(who) unlisten \(path)")
      default:
        _ = try world.step("\(who) connect")
        let node = world.scenario.engine.state.root[Path(path)]
        let hash = Bool.random(using: &random) ? node.simpleHash() : "x"
        _ = try world.step("\(who) swap \(hash.isEmpty ? "-" : hash) \(path) 2")
      }
    }
    for _ in 0..<200 { _ = try world.pass(milliseconds: 1_000) }
    #expect(world.turns.isIdle && world.turns.waitingCount == 0 && world.turns.sizeBytes == 0)
    #expect(
      world.turns.queuesBelow.isEmpty && world.turns.openTurns.isEmpty && world.turns.undelivered.isEmpty,
      "\(world.turns)")
    for who in 1...8 { _ = try world.step("\(who) disconnect") }
    #expect(world.turns.contenders.isEmpty)
  }
}
