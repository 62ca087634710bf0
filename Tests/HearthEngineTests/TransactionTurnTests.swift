import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthEngine

/// Tests of turns, which order conflicting compared writes.
@Suite struct TransactionTurnTests {
  /// Clients that increment counters, each by a compared write.
  struct Counters {
    var scenario: Scenario

    init(people: Int, limits: EngineLimits = EngineLimits(), rules: String = Self.open) throws {
      scenario = Scenario(limits: limits)
      _ = try scenario.perform("rules \(rules)")
      for number in 1...max(1, people) { _ = try scenario.perform("\(number) connect") }
    }

    static let open = #"{"rules": {".read": true, ".write": true}}"#

    mutating func step(_ text: String) throws -> [String] { try scenario.perform(text) }

    /// Performs a compared write of a number, expecting another one or no value.
    mutating func swap(_ who: Int, _ old: Int64?, _ new: Int64, at path: String = "/c") throws -> [String] {
      try step("\(who) swap \(old.map { Node(.int($0)).simpleHash() } ?? "-") \(path) \(new)")
    }

    mutating func pass(milliseconds: Int64) throws -> [String] {
      try step("time \(scenario.now.monotonicMilliseconds + milliseconds)")
    }

    var turns: TransactionTurns { scenario.engine.turns }
  }

  @Test func `a transaction without contention is answered at once`() throws {
    var fixture = try Counters(people: 1)
    #expect(try fixture.swap(1, nil, 1) == ["1 written 1"])
    #expect(try fixture.swap(1, nil, 2) == ["1 stale 1"])
    #expect(try fixture.swap(1, 1, 2) == ["1 written 2"])
    #expect(fixture.turns.isIdle)
  }

  @Test func `outdated clients are answered one at a time, in order of arrival`() throws {
    var fixture = try Counters(people: 4)
    #expect(try fixture.swap(1, nil, 1) == ["1 written 1"])
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 1) == [])
    #expect(try fixture.swap(4, nil, 1) == [])
    #expect(try fixture.swap(2, 1, 2) == ["2 written 2", "3 stale 2"])
    #expect(try fixture.swap(3, 2, 3) == ["3 written 3", "4 stale 3"])
    #expect(try fixture.swap(4, 3, 4) == ["4 written 4"])
    #expect(fixture.turns.isIdle)
  }

  @Test func `an up-to-date client waits during another's turn, and is not told to retry when that turn expires`()
    throws
  {
    var fixture = try Counters(people: 3)
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(1, 1, 2) == [])
    #expect(try fixture.swap(3, 1, 2) == [])
    // The second client lets its turn expire: the first one's write is decided as if it arrived now.
    #expect(try fixture.pass(milliseconds: 500) == ["1 written 2", "3 stale 2"])
    #expect(try fixture.swap(3, 2, 3) == ["3 written 3"])
  }

  @Test func `plain writes never wait, and a transaction that they make stale keeps its turn`() throws {
    var fixture = try Counters(people: 4)
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 1) == [])
    #expect(try fixture.step("4 put /c 7") == ["4 written 7"])
    #expect(try fixture.swap(2, 1, 2) == ["2 stale 7"])
    #expect(try fixture.swap(2, 7, 8) == ["2 written 8", "3 stale 8"])
  }

  @Test func `a client whose value is repeatedly stale in its turn goes to the end of the queue`() throws {
    var fixture = try Counters(people: 4)
    _ = try fixture.swap(1, nil, 1)
    _ = try fixture.swap(2, nil, 1)
    _ = try fixture.swap(3, nil, 1)
    for number in 1...3 { #expect(try fixture.swap(2, Int64(number + 100), 1) == ["2 stale 1"]) }
    #expect(try fixture.swap(2, 104, 1) == ["2 stale 1", "3 stale 1"])
    #expect(try fixture.swap(2, 105, 1) == [])
    #expect(try fixture.swap(3, 1, 2) == ["3 written 2", "2 stale 2"])
  }

  @Test func `a turn ends when its holder disconnects or stops listening`() throws {
    var fixture = try Counters(people: 4)
    _ = try fixture.swap(1, nil, 1)
    for number in 2...4 { _ = try fixture.swap(number, nil, 1) }
    #expect(try fixture.step("2 disconnect") == ["3 stale 1"])
    #expect(try fixture.step("3 unlisten /c") == ["3 ok", "4 stale 1"])
    #expect(try fixture.step("4 disconnect") == [])
    #expect(fixture.turns.isIdle && fixture.turns.waitingCount == 0)
  }

  @Test func `a disconnected client is skipped, also when its number is reused`() throws {
    var fixture = try Counters(people: 4)
    _ = try fixture.swap(1, nil, 1)
    for number in 2...4 { _ = try fixture.swap(number, nil, 1) }
    #expect(try fixture.step("3 disconnect") == [])
    #expect(try fixture.step("3 connect") == ["3 ok"])
    #expect(try fixture.swap(2, 1, 2) == ["2 written 2", "4 stale 2"])
  }

  @Test func `many clients that give up delay the others by at most two turns`() throws {
    var fixture = try Counters(people: 101)
    _ = try fixture.swap(1, nil, 1)
    var answered = try fixture.swap(2, nil, 1).count
    for number in 3...100 { answered += try fixture.swap(number, nil, 1).count }
    #expect(try fixture.swap(101, 1, 2) == [])
    var elapsed: Int64 = 0
    while answered < 99, elapsed < 10_000 {
      answered += try fixture.pass(milliseconds: 25).count
      elapsed += 25
    }
    #expect(answered >= 99 && elapsed <= 1_200, "after \(elapsed) ms")
    #expect(fixture.scenario.engine.state.root[Path("c")] == Node(.int(2)))
  }

  @Test func `a connection that lets turns expire gets shorter ones, then none, until it writes`() throws {
    var fixture = try Counters(people: 3)
    _ = try fixture.swap(1, nil, 1)
    var windows: [Int64] = []
    for _ in 0..<4 {
      _ = try fixture.swap(2, nil, 1)
      let deadline = try #require(fixture.scenario.engine.nextDeadlineMonotonicMilliseconds)
      windows.append(deadline - fixture.scenario.now.monotonicMilliseconds)
      _ = try fixture.pass(milliseconds: 2_000)
    }
    #expect(windows == [500, 250, 125, 62])
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(fixture.turns.isIdle)
    #expect(try fixture.swap(2, 1, 2) == ["2 written 2"])
    #expect(try fixture.swap(2, 1, 2) == ["2 stale 2"])
    #expect(!fixture.turns.isIdle)
  }

  @Test func `a client that may not write gets no further turns on a new connection`() throws {
    let rules = #"{"rules": {".read": true, ".write": "auth.uid != 'eve'"}}"#
    var fixture = try Counters(people: 29, rules: rules)
    _ = try fixture.step(#"1 auth {"uid":"ann"}"#)
    _ = try fixture.swap(1, nil, 1)
    var windows: [Int64] = []
    for number in 2..<30 {
      _ = try fixture.step(#"\#(number) auth {"uid":"eve"}"#)
      #expect(try fixture.swap(number, nil, 9) == ["\(number) stale 1"])
      if fixture.turns.isIdle { continue }
      let deadline = try #require(fixture.scenario.engine.nextDeadlineMonotonicMilliseconds)
      windows.append(deadline - fixture.scenario.now.monotonicMilliseconds)
      // Half of them send no write, and half send one that is refused at the end of the turn.
      _ = try fixture.pass(milliseconds: windows[windows.count - 1] - (number.isMultiple(of: 2) ? 0 : 1))
      if !number.isMultiple(of: 2) { #expect(try fixture.swap(number, 1, 2).contains("\(number) permission-denied")) }
      #expect(fixture.turns.isIdle)
    }
    #expect(windows == [500, 250, 125, 62])
    // Other clients are not affected, and the record of unused turns is dropped after a time.
    #expect(try fixture.swap(1, nil, 2) == ["1 stale 1"])
    #expect(!fixture.turns.isIdle)
    #expect(try fixture.swap(1, 1, 2) == ["1 written 2"])
    _ = try fixture.pass(milliseconds: fixture.scenario.engine.limits.turnExpiryMillisecondsMax)
    #expect(try fixture.swap(29, nil, 9) == ["29 stale 2"])
    #expect(!fixture.turns.isIdle)
  }

  @Test func `requests of a user who ignores turns get none`() throws {
    var requests = Requests(engine: Engine(state: try Counters(people: 1).scenario.engine.state))
    _ = requests.swap(1, "ann", nil, 1)
    for number in 2..<12 {
      #expect(requests.swap(Int32(number), "eve", nil, 9) == ["0 stale 1"])
      #expect(requests.engine.turns.isIdle == (number >= 6))
      // The delivery of the answer to these requests is not reported.
      requests.milliseconds += requests.engine.limits.turnUndeliveredMillisecondsMax
      _ = requests.engine.decide(
        [], at: Instant(wallMilliseconds: requests.milliseconds, monotonicMilliseconds: requests.milliseconds))
    }
  }

  @Test func `a slow client is given the time it needs`() throws {
    var fixture = try Counters(people: 3)
    _ = try fixture.swap(1, nil, 1)
    _ = try fixture.swap(2, nil, 1)
    #expect(try fixture.pass(milliseconds: 700) == [])
    _ = try fixture.swap(3, 1, 2)
    // Too late in its first turn of 500 ms; the next has 1,000 ms.
    #expect(try fixture.swap(2, 1, 2) == ["2 stale 2"])
    #expect(try fixture.pass(milliseconds: 900) == [])
    #expect(try fixture.swap(3, nil, 3) == [])
    #expect(try fixture.swap(2, 2, 3) == ["2 written 3", "3 stale 3"])
  }

  @Test func `a quick client's turns become short`() throws {
    var fixture = try Counters(people: 2)
    _ = try fixture.swap(1, nil, 1)
    var value: Int64 = 1
    for _ in 0..<5 {
      _ = try fixture.swap(2, nil, 1)
      _ = try fixture.pass(milliseconds: 10)
      _ = try fixture.swap(2, value, value + 1)
      value += 1
    }
    _ = try fixture.swap(2, nil, 1)
    let deadline = try #require(fixture.scenario.engine.nextDeadlineMonotonicMilliseconds)
    #expect(deadline - fixture.scenario.now.monotonicMilliseconds == 50)
  }

  @Test func `a turn's time begins when its answer is being delivered`() throws {
    var fixture = try Counters(people: 3)
    fixture.scenario.tellsTurns = false
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 1) == [])
    #expect(try fixture.pass(milliseconds: 9_000) == [])
    #expect(try fixture.pass(milliseconds: 1_000) == ["3 stale 1"])
  }

  // MARK: Locations

  @Test func `locations that do not overlap have turns at the same time`() throws {
    var fixture = try Counters(people: 4)
    for path in ["/a/x", "/a/y"] { _ = try fixture.step("1 put \(path) 1") }
    #expect(try fixture.swap(1, nil, 2, at: "/a/x") == ["1 stale 1"])
    #expect(try fixture.swap(2, nil, 2, at: "/a/y") == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 2, at: "/a/x") == [])
    #expect(try fixture.swap(2, 1, 2, at: "/a/y") == ["2 written 2"])
    #expect(try fixture.swap(1, 1, 2, at: "/a/x") == ["1 written 2", "3 stale 2"])
  }

  @Test func `a location and those below it wait for each other, in the order of arrival`() throws {
    var fixture = try Counters(people: 6)
    for path in ["/a/x", "/a/y"] { _ = try fixture.step("1 put \(path) 1") }
    #expect(try fixture.swap(1, nil, 2, at: "/a/x") == ["1 stale 1"])
    #expect(try fixture.swap(2, nil, 2, at: "/a/y") == ["2 stale 1"])
    #expect(try fixture.swap(3, nil, 2, at: "/a") == [])
    // It waits for the write above it, although there is no other at its own location.
    #expect(try fixture.swap(4, 1, 2, at: "/a/x") == [])
    #expect(try fixture.swap(5, nil, 2, at: "/a/y/deep") == [])
    #expect(try fixture.swap(2, 1, 2, at: "/a/y") == ["2 written 2"])
    #expect(try fixture.swap(1, 1, 2, at: "/a/x") == ["1 written 2", #"3 stale {"x":2,"y":2}"#])
    #expect(try fixture.step("3 disconnect").sorted() == ["4 stale 2", "5 written 2"])
  }

  @Test func `a client that requests another location gives its turn up`() throws {
    var fixture = try Counters(people: 4)
    for path in ["/a/x", "/a/y"] { _ = try fixture.step("1 put \(path) 1") }
    #expect(try fixture.swap(1, nil, 2, at: "/a/x") == ["1 stale 1"])
    #expect(try fixture.swap(2, nil, 2, at: "/a/x") == [])
    #expect(try fixture.swap(1, nil, 2, at: "/a") == ["2 stale 1"])
    #expect(try fixture.swap(2, 1, 2, at: "/a/x") == ["2 written 2", #"1 stale {"x":2,"y":1}"#])
  }

  // MARK: Interruptions

  @Test func `accepted writes of a connection precede its later ones`() throws {
    var fixture = try Counters(people: 3)
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, 1, 5) == [])
    #expect(try fixture.step("3 put /d 1") == ["3 written 5", "3 written 1"])
    #expect(try fixture.swap(2, 1, 2) == ["2 stale 5"])
    // A write with a stale value keeps its position in the queue.
    #expect(try fixture.swap(3, 5, 6) == [])
    #expect(try fixture.swap(1, nil, 6) == [])
    #expect(try fixture.step("1 put /c 9") == ["1 written 9"])
    #expect(try fixture.step("3 put /d 2") == ["3 written 2"])
    #expect(try fixture.swap(2, 9, 10) == ["2 written 10", "3 stale 10"])
    #expect(try fixture.swap(3, 10, 11) == ["3 written 11", "1 stale 11"])
  }

  @Test func `a write is made with the identity of its requester`() throws {
    let rules = #"{"rules": {".read": true, ".write": "auth != null"}}"#
    var fixture = try Counters(people: 3, rules: rules)
    for number in 1...3 { _ = try fixture.step(#"\#(number) auth {"uid":"u\#(number)"}"#) }
    _ = try fixture.swap(1, nil, 1)
    #expect(try fixture.swap(2, nil, 1) == ["2 stale 1"])
    #expect(try fixture.swap(3, 1, 2) == [])
    #expect(try fixture.step("3 unauth") == ["3 written 2", "3 ok"])
    // The expiry of a credential also ends its waiting writes.
    #expect(try fixture.swap(1, 2, 3) == [])
    #expect(try fixture.step("1 revoke").first == "1 < ended")
    let lines = try fixture.pass(milliseconds: 1_000)
    #expect(lines.contains("1 permission-denied"), "\(lines)")
  }

  @Test
  func `a client without read permission is refused at once, and one that the rules refuse is refused at its turn`()
    throws
  {
    let rules = #"{"rules": {".read": "auth != null", "c": {".write": "newData.val() < 5"}}}"#
    var fixture = try Counters(people: 3, rules: rules)
    for number in 1...2 { _ = try fixture.step(#"\#(number) auth {"uid":"u\#(number)"}"#) }
    _ = try fixture.swap(1, nil, 1)
    let first = try fixture.swap(1, nil, 1)
    #expect(first == ["1 stale 1"], "\(first)")
    #expect(try fixture.swap(3, nil, 1).contains("3 permission-denied"))
    #expect(try fixture.swap(2, 1, 9) == [])
    #expect(try fixture.pass(milliseconds: 500).contains("2 permission-denied"))
    #expect(fixture.turns.isIdle)
  }

  @Test func `no transaction waits once writes have ended`() throws {
    for isStalled in [true, false] {
      var fixture = try Counters(people: 3)
      _ = try fixture.swap(1, nil, 1)
      for number in 2...3 { _ = try fixture.swap(number, nil, 1) }
      var engine = fixture.scenario.engine
      if isStalled { engine.setStalled(.noSpace) } else { engine.halt() }
      let batch = engine.decide([], at: fixture.scenario.now)
      #expect(batch.effects.flatMap { $0.scenarioLines() } == [isStalled ? "3 no-space" : "3 unavailable"])
      #expect(engine.turns.isIdle && engine.turns.waitingCount == 0)
    }
  }

  // MARK: Requests over HTTP

  @Test func `requests of one user share their turns, when they are not late`() throws {
    var requests = Requests(engine: Engine(state: try Counters(people: 1).scenario.engine.state))
    _ = requests.swap(1, "ann", nil, 1)
    #expect(requests.swap(2, "ann", nil, 1) == ["0 stale 1"])
    #expect(requests.swap(3, "ben", 1, 2) == [])
    #expect(requests.swap(4, "ann", nil, 2) == [])
    #expect(requests.swap(5, "ann", 1, 2) == ["0 written 2", "0 stale 2"])
    #expect(requests.swap(6, "ben", 2, 3) == ["0 written 3", "0 stale 3"])
    #expect(requests.swap(7, "ann", 3, 4) == ["0 written 4"])
  }

  private struct Requests {
    var engine: Engine
    var milliseconds: Int64 = 0

    mutating func swap(_ request: Int32, _ uid: String, _ old: Int64?, _ new: Int64) -> [String] {
      let operation = WriteOperation(
        .put(Location(path: Path("c")), WriteValue(Node(.int(new)))),
        expectedHash: old.map { Node(.int($0)).simpleHash() } ?? "")
      let command = Command(
        connection: ConnectionID(rawValue: 0), request: request, principal: Principal(auth: nil, uid: uid),
        action: .write(operation))
      return engine.decide(
        [command], at: Instant(wallMilliseconds: milliseconds, monotonicMilliseconds: milliseconds)
      ).effects.flatMap {
        $0.scenarioLines()
      }
    }
  }
}
