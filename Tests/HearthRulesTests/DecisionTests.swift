import HearthRules
import HearthTree
import Testing

@Suite("The evaluated rules, and the contents of a decision")
struct DecisionTests {
  /// Decides a write of values to paths, all at once.
  private func decide(
    _ rules: String, stored: String = "null", writes: [(String, String)], detail: DecisionDetail = []
  ) throws -> Decision {
    let old = try RulesFixtures.node(stored)
    var new = old
    for (path, value) in writes { new = new.replacing(Path(path), with: try RulesFixtures.node(value)) }
    let request = WriteRequest(
      oldRoot: old, newRoot: new, locations: writes.map { Location(path: Path($0.0)) }, auth: RulesFixtures.alice,
      nowMilliseconds: RulesFixtures.now)
    return try RuleSet.compile(rules).decideWrite(request, detail: detail)
  }

  private func read(
    _ rules: String, _ path: String, stored: String = "null", detail: DecisionDetail = []
  ) throws -> Decision {
    try RuleSet.compile(rules).decideRead(
      ReadRequest(
        path: Path(path), root: try RulesFixtures.node(stored), auth: RulesFixtures.alice,
        nowMilliseconds: RulesFixtures.now),
      detail: detail)
  }

  @Test("A rule cannot revoke a grant above it, and rules below a granted read are not evaluated")
  func cascade() throws {
    let rules = #"{"rules":{"a":{".read":true,".write":true,"b":{".read":false,".write":false}}}}"#
    #expect(try read(rules, "a/b").isAllowed)
    #expect(try decide(rules, writes: [("a/b", "1")]).isAllowed)
    let below = #"{"rules":{"rooms":{"$id":{".read":true}}}}"#
    #expect(try read(below, "rooms").outcome == .noRule)
    #expect(try read(below, "rooms/1/deep/er").isAllowed)
  }

  @Test("An error does not keep a rule below from granting")
  func errorAbove() throws {
    let rules = #"{"rules":{"a":{".read":"data.val() > 1","open":{".read":"auth != null"}}}}"#
    #expect(try read(rules, "a/open").isAllowed)
    let denied = try read(rules, "a")
    #expect(denied.outcome == .noGrant)
    #expect(denied.error == EvaluationError(.wrongType, at: 0))
  }

  @Test("A named key takes precedence over the wildcard, in any order")
  func literalFirst() throws {
    let rules = #"{"rules":{"a":{"$id":{".read":true},"special":{".read":false}}}}"#
    #expect(try !read(rules, "a/special").isAllowed)
    #expect(try read(rules, "a/other").isAllowed)
    let many = (0..<20).map { "\"k\($0)\":{\".read\":false}" }.joined(separator: ",")
    #expect(try !read("{\"rules\":{\(many),\"$x\":{\".read\":true}}}", "k13").isAllowed)
    #expect(try read("{\"rules\":{\(many),\"$x\":{\".read\":true}}}", "k20").isAllowed)
  }

  @Test("Keys that look alike but have other code units are different keys")
  func keysByCodeUnits() throws {
    let rules = "{\"rules\":{\"\u{E9}\":{\".read\":true}}}"
    #expect(try read(rules, "\u{E9}").isAllowed)
    #expect(try !read(rules, "e\u{301}").isAllowed)
  }

  private let required = """
    {"rules":{".write":true,"items":{"$id":{".validate":"newData.hasChildren(['a','b'])",
      "a":{".validate":"newData.isString()"},"$other":{".validate":"newData.isNumber()"}}}}}
    """

  @Test("Every validate rule on the path and below the written value must hold; empty values are skipped")
  func validation() throws {
    let stored = #"{"items":{"x":{"a":"t","b":1}}}"#
    #expect(try decide(required, writes: [("items/x", #"{"a":"t","b":1}"#)]).isAllowed)
    #expect(try decide(required, writes: [("items/x", #"{"a":"t"}"#)]).outcome == .invalid)
    #expect(try decide(required, writes: [("items/x", #"{"a":1,"b":1}"#)]).outcome == .invalid)
    #expect(try decide(required, writes: [("items", #"{"y":{"a":"t","b":"no"}}"#)]).outcome == .invalid)
    #expect(try decide(required, stored: stored, writes: [("items/x/b", "null")]).outcome == .invalid)
    #expect(try decide(required, stored: stored, writes: [("items/x", "null")]).isAllowed)
    #expect(try decide(required, stored: stored, writes: [("", "null")]).isAllowed)
    #expect(try decide(required, stored: stored, writes: [("items/x/c", "2")]).isAllowed)
    #expect(try decide(required, stored: stored, writes: [("items/x/c", "\"2\"")]).outcome == .invalid)
  }

  @Test("Siblings outside the write are not validated; those in it are, changed or not")
  func siblings() throws {
    let rules = #"{"rules":{".write":true,"r":{"title":{},"tag":{".validate":"newData.val() == 'ok'"}}}}"#
    let stored = #"{"r":{"title":"t","tag":"bad"}}"#
    #expect(try decide(rules, stored: stored, writes: [("r/title", "\"new\"")]).isAllowed)
    #expect(try !decide(rules, stored: stored, writes: [("r", #"{"title":"new","tag":"bad"}"#)]).isAllowed)
  }

  @Test("An update is granted only when every location of it is, and rules see its whole result")
  func updates() throws {
    let rules = """
      {"rules":{"a":{".write":"newData.parent().child('b').exists()"},"b":{".write":true},"c":{".write":false},
        "d":{"meta":{".validate":"newData.parent().hasChild('content')"},".write":true}}}
      """
    #expect(try decide(rules, writes: [("a", "1"), ("b", "1")]).isAllowed)
    #expect(try decide(rules, writes: [("a", "1")]).outcome == .noGrant)
    let refused = try decide(rules, writes: [("b", "1"), ("c", "1")])
    #expect(refused.outcome == .noGrant)
    #expect(refused.path == Path("c"))
    let stored = #"{"d":{"meta":1,"content":2}}"#
    #expect(try decide(rules, stored: stored, writes: [("d/content", "null"), ("d/other", "1")]).isAllowed)
    #expect(try decide(rules, writes: []).isAllowed)
  }

  @Test("Validate rules shared by two paths of an update are evaluated once")
  func sharedValidation() throws {
    let rules = #"{"rules":{".write":true,".validate":true,"a":{".validate":true,"$k":{".validate":true}}}}"#
    let decision = try decide(rules, writes: [("a/x", "1"), ("a/y", "2"), ("b", "3")], detail: .trace)
    let validated = decision.visited.filter { $0.rule.kind == .validate }.map(\.path.description)
    #expect(validated == ["/", "/a", "/a/x", "/a/y"])
  }

  @Test("A priority is written like a value, and validated only by rules on its path")
  func priorities() throws {
    let rules = try RuleSet.compile(
      #"{"rules":{".write":true,"a":{".validate":"newData.getPriority() == 5","b":{".validate":false}}}}"#)
    let old = try RulesFixtures.node(#"{"a":{"b":1}}"#)
    func ask(_ priority: Int64) -> Decision {
      let new = old.replacing(Path("a"), with: old[Path("a")].with(priority: .int(priority)))
      return rules.decideWrite(
        WriteRequest(
          oldRoot: old, newRoot: new, locations: [Location(path: Path("a"), isPriority: true)], auth: nil,
          nowMilliseconds: RulesFixtures.now))
    }
    #expect(ask(5).isAllowed)
    #expect(ask(6).outcome == .invalid)
    let stored = #"{"a":{".priority":5,"c":1}}"#
    #expect(
      try decide(
        #"{"rules":{".write":true,"a":{".validate":"newData.getPriority() == 5"}}}"#, stored: stored,
        writes: [("a/c", "2")]
      ).isAllowed)
  }

  @Test("A decision has its rule and the rule's place")
  func decidingRule() throws {
    let rules = "{\"rules\":{\n  \"a\":{\"$x\":{\".read\":\"auth == null\",\n    \"b\":{\".read\": \"$x == 'no'\"}}}}}"
    let denied = try read(rules, "a/yes/b/c")
    #expect(denied.outcome == .noGrant)
    #expect(denied.rule?.description == ".read at /a/$x/b (3:20): $x == 'no'")
    #expect(denied.path == Path("a/yes/b"))
    let granted = try read(rules, "a/no/b/c")
    #expect(granted.outcome == .granted)
    #expect(granted.rule?.pathTemplate == "/a/$x/b")
    #expect(try read(rules, "z").rule == nil)
  }

  @Test("A trace has every evaluated rule with its value, and is empty unless requested")
  func trace() throws {
    let rules = #"{"rules":{".write":"data.val() > 1","a":{".write":true,".validate":"newData.isNumber()"}}}"#
    let decision = try decide(rules, writes: [("a", "1")], detail: .trace)
    #expect(decision.visited.map(\.rule.kind) == [.write, .write, .validate])
    #expect(
      decision.visited.map(\.result) == [.error(EvaluationError(.wrongType, at: 0)), .value(true), .value(true)])
    #expect(decision.visited.map(\.path) == [.root, Path("a"), Path("a")])
    #expect(try decide(rules, writes: [("a", "1")]).visited.isEmpty)
  }

  @Test("A read depends on the data, claims and time that its rules read")
  func dependencies() throws {
    let rules = """
      {"rules":{"rooms":{"$room":{".read":"root.child('members/'+$room+'/'+auth.uid).exists()",
        "timed":{".read":"data.child('until').val() > now && data.parent().hasChildren(['x', 'y'])"}}}}}
      """
    let member = try read(rules, "rooms/r1", stored: #"{"members":{"r1":{"alice":true}}}"#, detail: .dependencies)
    #expect(member.isAllowed)
    #expect(member.dependencies?.data == [Path("members/r1/alice"): .existence])
    #expect(member.dependencies?.usesAuth == true)
    #expect(member.dependencies?.usesClock == false)
    let timed = try read(
      rules, "rooms/r1/timed", stored: #"{"rooms":{"r1":{"timed":{"until":9e15}}}}"#, detail: .dependencies)
    #expect(timed.dependencies?.usesClock == true)
    #expect(
      timed.dependencies?.data == [
        Path("members/r1/alice"): .existence, Path("rooms/r1/timed/until"): .value, Path("rooms/r1/x"): .existence,
        Path("rooms/r1/y"): .existence,
      ])
    #expect(try read(rules, "rooms/r1").dependencies == nil)
  }

  @Test("A location that no write can fill is no dependency")
  func impossiblePlaces() throws {
    let rules = #"{"rules":{".read":"root.child(root.child('x').val()).exists()"}}"#
    let deep = String(repeating: "a/", count: 40)
    let long = String(repeating: "k", count: 769)
    for text in [deep, long] {
      let decision = try read(rules, "", stored: #"{"x":"\#(text)"}"#, detail: .dependencies)
      #expect(decision.dependencies?.data == [Path("x"): .value])
    }
  }

  @Test("A dependency is affected only by changes of the data it read")
  func aspects() throws {
    let old = try RulesFixtures.node(#"{"m":{"a":1}}"#)
    func affected(_ aspects: ReadDependencies.Aspects, _ path: String, _ change: (String, String)) throws -> Bool {
      aspects.differ(old[Path(path)], old.replacing(Path(change.0), with: try RulesFixtures.node(change.1))[Path(path)])
    }
    #expect(try affected(.existence, "m/a", ("m", "null")))
    #expect(try !affected(.existence, "m/a", ("m/a", "2")))
    #expect(try affected(.value, "m/a", ("m/a", "2")))
    #expect(try !affected(.value, "m", ("m/b", "2")))
    #expect(try affected(.value, "m", ("m", "2")))
    #expect(try affected(.children, "m", ("m", "2")))
    #expect(try affected(.priority, "m/a", ("m/a", #"{".value":1,".priority":1}"#)))
    #expect(try !affected(.existence, "m/b", ("m/c", "2")))
  }
}
