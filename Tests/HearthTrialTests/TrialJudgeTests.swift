import HearthEngine
import HearthRules
import HearthTree
import Testing

@testable import HearthTrial

/// Tests that staged rules decide the same requests as the rules in force, and that every difference is found.
@Suite struct TrialJudgeTests {
  static let rules = """
    {"rules":{"rooms":{"$room":{
      ".read":"auth != null",
      ".write":"auth != null",
      "title":{".validate":"newData.isString()"}}},
      "open":{".read":true,".write":true},
      "closed":{".read":false,".write":false}}}
    """

  static let staged = """
    {"rules":{"rooms":{"$room":{
      ".read":"data.child('members').child(auth.uid).exists()",
      ".write":"auth != null",
      "title":{".validate":"newData.isString() && newData.val().length < 5"}}},
      "open":{".read":true,".write":true},
      "closed":{".read":"auth.uid === 'root'",".write":false}}}
    """

  static let data = #"{"rooms":{"r1":{"title":"old","members":{"ann":true}}},"open":1}"#

  @Test("a script of requests has the known reversals, by rule and pattern")
  func knownFlips() throws {
    var fixture = try TrialFixture(rules: Self.rules, staged: Self.staged, data: Self.data)
    fixture.perform(.get(Path("rooms/r1")), as: "ann")
    fixture.perform(.get(Path("rooms/r1")), as: "ben")
    fixture.perform(.get(Path("rooms/r1/members")), as: "cid")
    fixture.perform(.get(Path("rooms/r1")))
    fixture.perform(.get(Path("closed/secret")), as: "root")
    fixture.perform(.get(Path("closed/secret")), as: "ann")
    fixture.perform(.get(Path("open")))
    try fixture.perform(.set("rooms/r1/title", #""much too long""#), as: "ann")
    try fixture.perform(.set("rooms/r1/title", #""abc""#), as: "ann")
    try fixture.perform(.update("rooms/r1", [("note", "1"), ("title", #""too long as well""#)]), as: "ann")
    let report = fixture.report
    #expect((report.judgedCount, report.closedCount, report.openedCount) == (10, 4, 1))
    #expect(report.equalCount == 5)
    let flips = report.flips.map { "\($0.direction) \($0.operation) \($0.pattern) x\($0.count)" }
    #expect(
      Set(flips) == [
        "closed get /rooms/$room x1", "closed get /rooms/$room/… x1", "opened get /closed/… x1",
        "closed set /rooms/$room/title x1", "closed update /rooms/$room/title x1",
      ])
    let read = try #require(report.flips.first { $0.pattern == "/rooms/$room" })
    #expect(read.stagedRule?.line == 2 && read.stagedRule?.kind == .read)
    #expect(read.rule?.expression == "auth != null")
    #expect(read.examples.map(\.uid) == ["ben"] && read.examples.map(\.path) == ["/rooms/r1"])
    #expect(read.firstMilliseconds == 1_002 && read.lastMilliseconds == 1_002)
    let write = try #require(report.flips.first { $0.operation == .set })
    #expect(write.stagedRule?.kind == .validate && write.rule?.kind == .write)
  }

  @Test("a trace has the reason without data, claims and numbers")
  func traceHidesValues() throws {
    let rules = #"{"rules":{".read":true}}"#
    let staged = """
      {"rules":{".read":"auth.token.pass === root.child('secret').val() && auth.token.pin == root.child('pin').val()"}}
      """
    var fixture = try TrialFixture(rules: rules, staged: staged, data: #"{"secret":"sesame-data","pin":314159}"#)
    let claims = JSON.object([.init("pass", .string("sesame-claim")), .init("pin", .int(271828))])
    let auth = JSON.object([.init("uid", .string("ann")), .init("token", claims)])
    fixture.perform(
      Command(
        connection: ConnectionID(rawValue: 1), request: 1, principal: Principal(auth: auth), action: .get(Path("x"))))
    let example = try #require(fixture.report.flips.first?.examples.first)
    let text = example.trace.joined(separator: "\n")
    #expect(text.contains(".read at / (1:20) is false"))
    #expect(text.contains("auth.token.pass is a string of 12 bytes"))
    let json = Self.text(fixture.report.json)
    for secret in ["sesame-data", "sesame-claim", "314159", "271828"] { #expect(!json.contains(secret)) }
  }

  @Test("rules that are identical on the whole path are not evaluated")
  func sameRulesAreSkipped() throws {
    var fixture = try TrialFixture(rules: Self.rules, staged: Self.staged, data: Self.data)
    fixture.perform(.get(Path("open/a/b")))
    try fixture.perform(.set("open", "2"))
    try fixture.perform(.set("rooms/r1/title", #""abc""#), as: "ann")
    #expect(fixture.report.sameRulesCount == 2)
    #expect(fixture.report.equalCount == 3)
  }

  @Test("a decision for which the staged rules take too long is undecided")
  func tooLong() throws {
    var limits = TrialLimits()
    limits.stepsMax = 10
    let staged =
      #"{"rules":{".read":"\#([String](repeating: "root.child('a').val() != 1", count: 20).joined(separator: " && "))"}}"#
    var fixture = try TrialFixture(rules: #"{"rules":{".read":true}}"#, staged: staged, limits: limits)
    fixture.perform(.get(Path("a")))
    #expect(fixture.report.undecidedCount == 1 && fixture.report.closedCount == 0)
  }

  @Test("every kind of decision is recorded once, except administrators' decisions")
  func everyOperation() throws {
    let rules = #"{"rules":{".read":"auth != null",".write":"auth != null"}}"#
    var fixture = try TrialFixture(rules: rules, staged: #"{"rules":{}}"#, data: #"{"a":1}"#)
    func operations(_ body: (inout TrialFixture) throws -> Void) rethrows -> [RecordedDecision.Operation] {
      try body(&fixture)
      return fixture.decided.cases.map(\.operation)
    }
    fixture.connect(1, as: "ann")
    #expect(operations { $0.ask(1, .listen(ListenRequest(Path("a")))) } == [.listen])
    let query = Query(order: .key, limit: .first(2))
    #expect(operations { $0.ask(1, .listen(ListenRequest(Path("b"), query: query, tag: 1))) } == [.listen])
    #expect(operations { $0.ask(1, .authenticate(TrialFixture.user("ben"))) } == [.listenAgain, .listenAgain])
    #expect(operations { $0.ask(1, .get(Path("a"))) } == [.get])
    #expect(operations { $0.ask(1, .get(Path("a"), query)) } == [.get])
    #expect(try operations { try $0.ask(1, .set("a", "2")) } == [.set])
    #expect(try operations { try $0.ask(1, .set("a", "3", hash: "other")) } == [.compare])
    #expect(try operations { try $0.ask(1, .set("new", "3", hash: "")) } == [.compare, .set])
    #expect(try operations { try $0.ask(1, .update("a", [("b", "1")])) } == [.update])
    let change = WriteOperation.Change.put(Location(path: Path("gone")), WriteValue(Node(.bool(true))))
    #expect(operations { $0.ask(1, .onDisconnect(change)) } == [.onDisconnect])
    #expect(operations { $0.ask(1, .disconnect) } == [.atDisconnect])
    #expect(operations { $0.perform(.get(Path("a")), as: nil) } == [.get])
    #expect(fixture.decided.deniedCount == 1)
    var command = Command(connection: ConnectionID(rawValue: 9), request: 1, action: .get(Path("a")))
    command.principal = .administrator
    #expect(operations { $0.perform(command) }.isEmpty)
    command.action = try .set("a", "9")
    #expect(operations { $0.perform(command) }.isEmpty)
  }

  @Test("a large write is evaluated once, when it is settled")
  func largeWrite() throws {
    var limits = EngineLimits()
    limits.largeWriteBytes = 100
    let rules = #"{"rules":{".write":true,".read":true}}"#
    let staged = #"{"rules":{".write":"!newData.hasChild('a')",".read":true}}"#
    var fixture = try TrialFixture(rules: rules, staged: staged, engineLimits: limits)
    let long = #"{"a":"\#(String(repeating: "x", count: 500))"}"#
    try fixture.perform(.set("", long))
    #expect(fixture.engine.state.root.isInterior)
    #expect(fixture.report.judgedCount == 1 && fixture.report.closedCount == 1)
    #expect(fixture.decided.replacedBytes > 0)
  }

  @Test("a write that is decided in the background because its rules take long is evaluated once")
  func overlongWrite() throws {
    var limits = EngineLimits()
    limits.largeWriteSteps = 3
    let rules = #"{"rules":{".read":true,".write":"newData.val() == 1 && newData.val() < 2 && newData.val() > 0"}}"#
    var fixture = try TrialFixture(rules: rules, staged: #"{"rules":{}}"#, engineLimits: limits)
    try fixture.perform(.set("a", "1", hash: ""))
    #expect(fixture.decided.cases.map(\.operation) == [.compare, .set])
    #expect(fixture.report.judgedCount == 2)
  }

  @Test("without a recorder no decision is recorded, and with a counter none is kept")
  func tapDetail() throws {
    var fixture = try TrialFixture(rules: #"{"rules":{".read":true}}"#, staged: #"{"rules":{}}"#)
    fixture.engine.recordDecisions(nil)
    let command = Command(
      connection: ConnectionID(rawValue: 1), request: 1, principal: .signedOut, action: .get(Path("a")))
    let instant = Instant(wallMilliseconds: 5_000, monotonicMilliseconds: 5_000)
    #expect(fixture.engine.decide([command], at: instant).decided == nil)
    fixture.engine.recordDecisions(.counts)
    let decided = fixture.engine.decide([command], at: instant).decided
    #expect(decided?.allowedCount == 1 && decided?.cases.isEmpty == true)
  }

  static func text(_ json: JSON) -> String {
    var writer = JSONWriter()
    writer.write(json)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
