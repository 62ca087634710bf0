import HearthEngine
import HearthRules
import HearthTree
import Testing

@testable import HearthTrial

/// Tests of the limits of the evaluation of staged rules: its memory must not grow with the number of clients.
@Suite struct BoundsTests {
  static func cases(_ count: Int, sizeBytes: Int = 0, replacedBytes: Int = 0) -> RecordedDecisions {
    var decided = RecordedDecisions()
    for _ in 0..<count {
      let request = ReadRequest(path: Path("a"), root: .empty, auth: nil, nowMilliseconds: 0)
      decided.cases.append(
        RecordedDecision(
          operation: .get, request: .read(request), rules: .denyAll, isAllowed: true, uid: nil, sizeBytes: sizeBytes))
    }
    decided.replacedBytes = replacedBytes
    return decided
  }

  @Test("while the evaluation is stalled the queue is bounded, and dropped cases are counted")
  func stalledJudgeByCount() {
    var limits = TrialLimits()
    limits.waitingCountMax = 100
    var queue = TrialQueue(limits: limits)
    for _ in 0..<1_000 { queue.append(Self.cases(10)) }
    #expect(queue.count == 100)
    #expect(queue.droppedCount == 9_900)
    var judged = 0
    while queue.popFirst() != nil { judged += 1 }
    #expect(judged == 100 && queue.sizeBytes == 0)
  }

  @Test("the bytes of waiting large writes are limited")
  func stalledJudgeByBytes() {
    var limits = TrialLimits()
    limits.waitingBytesMax = 1 << 20
    var queue = TrialQueue(limits: limits)
    for _ in 0..<200 {
      queue.append(Self.cases(1, sizeBytes: 100 << 10))
      #expect(queue.sizeBytes <= 1 << 20)
    }
    #expect(queue.count == 10 && queue.droppedCount == 190)
  }

  @Test("a waiting decision retains an old tree only within the limit of bytes")
  func oldTreesAreLetGo() {
    var limits = TrialLimits()
    limits.waitingBytesMax = 1 << 20
    var queue = TrialQueue(limits: limits)
    queue.append(Self.cases(1))
    // Administrators' writes are not evaluated, but count as replaced data.
    for _ in 0..<10 { queue.append(Self.cases(0, replacedBytes: 90 << 10)) }
    #expect(queue.count == 1)
    queue.append(Self.cases(1))
    for _ in 0..<3 { queue.append(Self.cases(0, replacedBytes: 90 << 10)) }
    #expect(queue.count == 1 && queue.droppedCount == 1)
    #expect(queue.sizeBytes < 1 << 20)
  }

  @Test("the engine reports replaced bytes, also of an administrator")
  func engineTellsReplacedBytes() throws {
    var fixture = try TrialFixture(rules: #"{"rules":{}}"#, staged: #"{"rules":{}}"#)
    let long = #""\#(String(repeating: "x", count: 100_000))""#
    var command = Command(connection: ConnectionID(rawValue: 1), principal: .administrator, action: try .set("a", long))
    fixture.perform(command)
    #expect(fixture.decided.replacedBytes < 10_000)
    command.action = .transact(
      Transaction { draft in
        draft.replace(Path("a"), with: .empty)
        return true
      })
    fixture.perform(command)
    #expect(fixture.decided.cases.isEmpty && fixture.decided.replacedBytes > 100_000)
  }

  @Test("hostile keys and user ids do not make patterns or examples grow")
  func hostileNames() throws {
    let staged = #"{"rules":{"users":{"$uid":{".read":"auth.uid === $uid"}},"log":{".write":false}}}"#
    var fixture = try TrialFixture(rules: #"{"rules":{".read":true,".write":true}}"#, staged: staged)
    let long = String(repeating: "k", count: 700)
    for index in 0..<2_000 {
      let uid = "u\(index)" + String(repeating: "u", count: 5_000)
      fixture.perform(.get(Path("users/\(long)\(index)/\(index)/\(long)")), as: uid)
      fixture.perform(.get(Path("other\(index)/x/y")), as: uid)
      try fixture.perform(.set("log/\(long)\(index)/a", "1"), as: uid)
    }
    let report = fixture.report
    #expect(report.closedCount == 6_000)
    #expect(Set(report.flips.map(\.pattern)) == ["/users/$uid/…", "/…", "/log/…"])
    #expect(report.flips.allSatisfy { $0.count == 2_000 && $0.examples.count == 3 })
    let json = TrialJudgeTests.text(report.json)
    #expect(json.utf8.count < 16_000)
  }

  @Test("the number of groups of reversals is limited, and reversals without a group are counted")
  func groupsAreBounded() throws {
    var limits = TrialLimits()
    limits.reversalGroupsMax = 10
    let places = (0..<50).map { #""p\#($0)":{".read":false}"# }.joined(separator: ",")
    var fixture = try TrialFixture(
      rules: #"{"rules":{"$p":{".read":true}}}"#, staged: "{\"rules\":{\(places)}}", limits: limits)
    for index in 0..<50 { fixture.perform(.get(Path("p\(index)"))) }
    #expect(fixture.report.flips.count == 10)
    #expect(fixture.report.closedCount == 50 && fixture.report.unlistedReversalCount == 40)
  }

  @Test("a batch evaluates a bounded number of cases and counts the others")
  func tapIsBounded() throws {
    let rules = #"{"rules":{".read":true}}"#
    var limits = EngineLimits()
    (limits.inlineRedecisionListensMax, limits.inlineRedecisionStepsMax) = (5_000, 10_000_000)
    var fixture = try TrialFixture(rules: rules, staged: rules, engineLimits: limits)
    fixture.connect(1, as: "ann")
    for index in 0..<5_000 { fixture.ask(1, .listen(ListenRequest(Path("a\(index)")))) }
    fixture.ask(1, .authenticate(TrialFixture.user("ben")))
    #expect(fixture.decided.allowedCount == 5_000)
    #expect(fixture.decided.cases.count == 4_096 && fixture.decided.unrecordedCount == 904)
  }

  @Test("a text that a client chose does not break a line")
  func shownText() {
    #expect(ReportText.of("a\nb\u{1B}[31m") == "a?b?[31m")
    #expect(ReportText.of(String(repeating: "é", count: 300)).utf8.count <= TrialLimits.textBytesMax + 3)
  }
}
