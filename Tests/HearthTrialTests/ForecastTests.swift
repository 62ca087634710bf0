import HearthEngine
import HearthRules
import HearthTree
import RandomTestKit
import Testing

@testable import HearthTrial

/// Tests of the forecast of a promotion's effects on listeners and stored data, against known counts.
@Suite struct ForecastTests {
  @Test("listens that promoting would cancel are counted by location and rule, and none is cancelled")
  func listeners() throws {
    let rules = #"{"rules":{".read":"auth != null","x":{".read":true}}}"#
    let staged = """
      {"rules":{"rooms":{"$r":{".read":"auth.uid === $r || query.limitToFirst <= 10"}},"x":{".read":true}}}
      """
    var fixture = try TrialFixture(rules: rules, staged: staged)
    for (number, uid) in ["ann", "ben", "cid"].enumerated() { fixture.connect(UInt64(number + 1), as: uid) }
    for connection in 1...3 {
      fixture.ask(UInt64(connection), .listen(ListenRequest(Path("rooms/ann"))))
      fixture.ask(UInt64(connection), .listen(ListenRequest(Path("x"))))
    }
    let small = Query(order: .key, limit: .first(5))
    fixture.ask(2, .listen(ListenRequest(Path("rooms/q"), query: small, tag: 1)))
    fixture.ask(2, .listen(ListenRequest(Path("rooms/q"), query: Query(order: .key, limit: .first(50)), tag: 2)))
    fixture.ask(3, .listen(ListenRequest(Path("other/deep"))))
    let before = fixture.engine.listenCount
    var judge = ListenerCheck(of: fixture.judge.staged)
    var left = fixture.engine.knownConnections[...]
    while !left.isEmpty {
      let standing = StandingListens(of: left, in: fixture.engine, countMin: 2)
      for listen in standing.listens { judge.judge(listen, on: standing.state, nowMilliseconds: fixture.now) }
      left = left.dropFirst(standing.connectionCount)
    }
    let forecast = judge.forecast
    #expect((forecast.examinedCount, forecast.cancelledCount) == (9, 4))
    #expect(forecast.patterns.map { "\($0.pattern) \($0.count) \($0.queryCount)" } == ["/rooms/$r 3 1", "/… 1 0"])
    #expect(Set(forecast.patterns[0].uids) == ["ben", "cid"])
    #expect(forecast.patterns[0].stagedRule?.kind == .read && forecast.patterns[1].stagedRule == nil)
    #expect(fixture.engine.listenCount == before)

    // The promotion cancels exactly those.
    var deploy = Command(connection: ConnectionID(rawValue: 9), request: 1, action: .deployRules(fixture.judge.staged))
    deploy.principal = .administrator
    fixture.perform(deploy)
    #expect(fixture.decided.cancelledCount == 4)
    #expect(fixture.engine.listenCount == before - 4)
  }

  @Test("stored data that the staged rules would refuse is counted by rule and location")
  func storedData() throws {
    let current = """
      {"rules":{"users":{"$u":{"age":{".validate":"newData.isNumber()"},"name":{".validate":"newData.isString()"}}}}}
      """
    let staged = """
      {"rules":{"users":{"$u":{
        ".validate":"newData.hasChildren(['name'])",
        "age":{".validate":"newData.isNumber() && newData.val() < 150"},
        "name":{".validate":"newData.isString()"},
        "by":{".validate":"newData.val() === auth.uid"},
        "at":{".validate":"newData.val() === now"}}}}}
      """
    let data = """
      {"users":{"ann":{"name":"Ann","age":30},"ben":{"age":200},"cid":{"name":7,"age":"x","by":"cid","at":5}},
       "other":{"age":900}}
      """
    let forecast = try Self.forecast(current: current, staged: staged, data: data, steps: 1)
    #expect(forecast.checkedCount == 8)
    #expect((forecast.failedCount, forecast.alreadyFailingCount) == (3, 1))
    #expect((forecast.dependsOnAuthCount, forecast.dependsOnTimeCount) == (1, 1))
    #expect(
      forecast.failures.map { "\($0.pattern) \($0.count) \($0.alreadyFailingCount) \($0.paths)" } == [
        #"/users/$u/age 2 1 ["/users/ben/age", "/users/cid/age"]"#, #"/users/$u 1 0 ["/users/ben"]"#,
      ])
    #expect(forecast.progress == 1)
  }

  @Test(
    "the forecast finds the values for which a rewrite would be refused, in slices of any size", arguments: [1, 9_999])
  func walkAgainstDecisions(steps: Int) throws {
    var generator = SeededRandom(seed: 17)
    var refusals = 0
    for _ in 0..<200 {
      let staged = try RuleSet.compile(RandomFile(&generator).withWriting)
      let root = try TrialFixture.node(RandomFile.data(&generator))
      var walk = StoredDataValidator(of: root, staged: staged, current: .denyAll, nowMilliseconds: 1_000)
      var found: [StoredDataValidator.Failure] = []
      while !walk.isAtEnd { walk.advance(steps: steps) { found.append($0) } }
      let again = staged.decideWrite(
        WriteRequest(
          oldRoot: root, newRoot: root, locations: [Location(path: .root)], auth: nil, nowMilliseconds: 1_000))
      #expect(again.isAllowed == found.isEmpty)
      guard !again.isAllowed else { continue }
      refusals += 1
      #expect(found.first?.path == again.path && found.first?.rule == again.rule)
    }
    #expect(refusals > 50)
  }

  @Test("identical validate rules are not evaluated again")
  func sameRulesAreSkipped() throws {
    let rules = #"{"rules":{"a":{"$k":{".validate":"newData.isString()"}},"b":{".read":true}}}"#
    let staged = #"{"rules":{"a":{"$k":{".validate":"newData.isString()"}},"b":{".read":false}}}"#
    let forecast = try Self.forecast(current: rules, staged: staged, data: #"{"a":{"x":1,"y":2},"b":1}"#, steps: 100)
    #expect(forecast.checkedCount == 0 && forecast.failedCount == 0 && forecast.progress == 1)
  }

  @Test("a slice ends after its steps, however many children a location has, and progress grows to 1")
  func slices() throws {
    let staged = #"{"rules":{"big":{"$k":{".validate":"newData.isString()"}}}}"#
    let builder = (0..<20_000).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
    let root = try TrialFixture.node("{\"big\":{\(builder)}}")
    var limits = TrialLimits()
    limits.forecastSteps = 1_000
    let state = DatabaseState(root: root, rules: try RuleSet.compile(#"{"rules":{}}"#), position: 0)
    var judge = StoredDataCheck(of: try RuleSet.compile(staged), on: state, nowMilliseconds: 0, limits: limits)
    var (slices, last, checked) = (0, 0.0, 0)
    while !judge.isAtEnd {
      judge.advance()
      slices += 1
      let forecast = judge.forecast
      #expect(forecast.progress >= last && forecast.checkedCount - checked <= 1_000)
      (last, checked) = (forecast.progress, forecast.checkedCount)
    }
    #expect(judge.forecast.failedCount == 20_000 && judge.forecast.progress == 1)
    #expect(judge.forecast.failures.map(\.paths.count) == [5])
    #expect((20...400).contains(slices))
  }

  private static func forecast(current: String, staged: String, data: String, steps: Int) throws -> DataForecast {
    var limits = TrialLimits()
    limits.forecastSteps = steps
    let state = DatabaseState(root: try TrialFixture.node(data), rules: try RuleSet.compile(current), position: 0)
    var judge = StoredDataCheck(of: try RuleSet.compile(staged), on: state, nowMilliseconds: 1_000, limits: limits)
    while !judge.isAtEnd { judge.advance() }
    return judge.forecast
  }
}
