import HearthEngine
import HearthTestKit
import Testing

/// Tests of every way to lose a permission: the listener is cancelled before it can receive the commit that revokes it.
@Suite struct GrantScenarioTests {
  private static let start = RoomScenario.data + RoomScenario.listens

  @Test func `a denied listen is refused with its rule, and holds no state`() throws {
    try expectScenario(
      Self.start + """
        1 listen /rooms/q
          log 1 listen /rooms/q: .read at /rooms/$room
          1 permission-denied
        1 listen /members
          log 1 listen /members: no rule
          1 permission-denied
        1 get /rooms/q
          log 1 get /rooms/q: .read at /rooms/$room
          1 permission-denied
        1 get /rooms/r/m
          1 value "hi"
        1 put /rooms/q 1
          1 written 1
        """)
  }

  @Test func `the write that revokes a permission is not delivered to the listener that loses it`() throws {
    try expectScenario(
      Self.start + """
        2 merge / {"members/r/alice": null, "rooms/r/m": "secret"}
          1 < cancel /rooms/r data@3
          log 1 cancellation /rooms/r: .read at /rooms/$room
          2 < merge /rooms/r {m: "secret"}
          2 written {"members":{"r":{"bob":true}},"rooms":{"r":{"m":"secret"}}}
        2 put /rooms/r/m "more"
          2 < put /rooms/r/m "more"
          2 written "more"
        """)
  }

  @Test func `a membership that is removed and added again does not revive the listen`() throws {
    try expectScenario(
      Self.start + """
        2 put /members/r/alice null
          1 < cancel /rooms/r data@3
          log 1 cancellation /rooms/r: .read at /rooms/$room
          2 written null
        2 put /members/r/alice true
          2 written true
        2 put /rooms/r 1
          2 < put /rooms/r 1
          2 written 1
        1 listen /rooms/r
          1 < put /rooms/r 1
          1 ok
        """)
  }

  @Test func `a deploy evaluates every listen again`() throws {
    try expectScenario(
      Self.start + """
        rules {"rules": {"rooms": {".read": "auth.uid == 'bob'"}, ".write": "auth.uid == 'bob'"}}
          1 < cancel /rooms/r rules@3
          log 1 cancellation /rooms/r: .read at /rooms
        1 put /rooms/r 1
          log 1 put /rooms/r: .write at /
          1 permission-denied
        2 put /rooms/r 1
          2 < put /rooms/r 1
          2 written 1
        """)
  }

  @Test func `signing in as another user, or out, cancels the listens that only the former identity was allowed`()
    throws
  {
    try expectScenario(
      Self.start + """
        1 auth {"uid":"bob"}
          1 ok
        1 auth {"uid":"carol"}
          1 < cancel /rooms/r identity
          log 1 cancellation /rooms/r: .read at /rooms/$room
          1 ok
        2 unauth
          2 < cancel /rooms/r identity
          log 2 cancellation /rooms/r: .read at /rooms/$room
          2 ok
        2 admin
          2 ok
        2 listen /members
          2 < put /members {"r":{"alice":true,"bob":true}}
          2 ok
        2 unauth
          2 < cancel /members identity
          log 2 cancellation /members: no rule
          2 ok
        """)
  }

  @Test func `an expired credential is announced before the cancellations, and a renewed one stays valid`() throws {
    try expectScenario(
      Self.start + """
        1 auth {"uid":"alice"} until 1000
          1 ok
        2 auth {"uid":"bob"} until 1000
          2 ok
        time 900
        2 auth {"uid":"bob"} until 5000
          2 ok
        time 999
        time 1000
          1 < ended
          1 < cancel /rooms/r expiry
          log 1 cancellation /rooms/r: .read at /rooms/$room
        time 4999
        1 put /rooms/r 2
          2 < put /rooms/r 2
          1 written 2
        """)
  }

  @Test func `a time-dependent rule is evaluated again before each event, and at intervals`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": "now < 3000", ".write": true}}
      1 connect
        1 ok
      2 connect
        2 ok
      1 listen /a
        1 ok
      2 listen /b
        2 ok
      time 2999
      1 put /a 1
        1 < put /a 1
        1 written 1
      time 3000
      1 put /a 2
        1 < cancel /a clock
        log 1 cancellation /a: .read at /
        1 written 2
      time 3999
        2 < cancel /b clock
        log 2 cancellation /b: .read at /
      """)
  }

  @Test func `a disconnected client gets no further message and leaves no state`() throws {
    var scenario = Scenario()
    for line in Self.start.split(separator: "\n") where line.first != " " { _ = try scenario.perform(String(line)) }
    #expect(scenario.engine.listenCount == 2)
    #expect(try scenario.perform("1 disconnect") == [])
    #expect(try scenario.perform("1 disconnect") == [])
    #expect(try scenario.perform("2 put /members null").count == 3)
    #expect(scenario.engine.listenCount == 0)
    #expect(scenario.engine.connectionCount == 1)
  }

  @Test func `only administrators deploy rules`() throws {
    var engine = Engine(state: DatabaseState(root: .empty, rules: .denyAll, position: 0))
    let deploy = Command(
      connection: ConnectionID(rawValue: 9), request: 4, principal: .signedOut, action: .deployRules(.denyAll))
    let batch = engine.decide([deploy], at: Instant(wallMilliseconds: 0, monotonicMilliseconds: 0))
    #expect(batch.effects.flatMap { $0.scenarioLines() } == ["log 9 deploy /: no rule", "9 permission-denied"])
    #expect(!batch.hasCommits)
  }
}
