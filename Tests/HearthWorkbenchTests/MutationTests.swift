import HearthRules
import HearthTree
import HearthWorkbench
import Testing

@Suite struct MutationTests {
  private static let now: Int64 = 1_767_225_600_000

  private func rules(_ text: String) throws -> RuleSet { try RuleSet.compile(text, keepsExpressions: true) }

  private func file(_ text: String, _ name: String = "tests.yaml") throws -> RulesTestFile {
    try RulesTestReader.read(DocumentText(file: name, text: text))
  }

  private func report(_ rules: String, _ tests: [String]) throws -> MutationReport {
    MutationRun(try self.rules(rules), tests: try tests.map { try file($0) }, nowMilliseconds: Self.now).report()
  }

  /// Returns the mutants of one rule by their operation.
  private func mutants(_ rule: String, kind: String = "write") throws -> [String: [String]] {
    let text = #"{"rules":{"a":{"$x":{"$y":{".\#(kind)":"\#(rule)"}}}}}"#
    var found: [String: [String]] = [:]
    for entry in MutationRun(try rules(text), tests: [], nowMilliseconds: Self.now).report().entries {
      found[entry.mutant.operation.rawValue, default: []].append(entry.mutant.expression)
    }
    return found
  }

  @Test(
    "each kind of mutant is made",
    arguments: [
      ("drop-conjunct", "$x == 'u' && $y == 'v'", ["($y == 'v')", "($x == 'u')"]),
      ("drop-disjunct", "$x == 'u' || $y == 'v'", ["($y == 'v')", "($x == 'u')"]),
      (
        "and-or", "$x == 'u' && ($y == 'v' || now > 5)",
        ["($x == 'u' || ($y == 'v' || now > 5))", "$x == 'u' && ($y == 'v' && now > 5)"]
      ),
      ("flip-equality", "$x != 'u'", ["($x == 'u')"]),
      ("drop-not", "!($x == 'u')", ["(($x == 'u'))"]),
      ("swap-branches", "$x == 'u' ? true : false", ["($x == 'u' ? false : true)"]),
      ("data-new-data", "data.exists()", ["newData.exists()"]),
      ("data-root", "root.exists()", ["data.exists()"]),
      ("boundary", "now <= 5", ["(now < 5)"]),
      ("turn-comparison", "now > 5", ["(now < 5)"]),
      ("number", "now > 0", ["now > 1", "now > (-1)"]),
      ("text", "$x == 'u'", ["$x == 'x'"]),
      ("truth", "data.val() == true", ["data.val() == false"]),
      ("weaken-type", "newData.child('n').isString()", ["newData.child('n').exists()"]),
      ("drop-child", "newData.hasChildren(['n', 'm'])", ["newData.hasChildren(['m'])", "newData.hasChildren(['n'])"]),
      ("drop-anchor", "$x.matches(/^u$/i)", ["$x.matches(/u$/i)", "$x.matches(/^u/i)"]),
      ("wildcard", "auth.uid == $x", ["auth.uid == $y"]),
      ("rule-true", "auth != null", ["true"]),
      ("rule-false", "auth != null", ["false"]),
    ])
  func breaks(operation: String, rule: String, broken: [String]) throws {
    #expect(try mutants(rule)[operation] == broken)
  }

  @Test("invalid mutants are omitted: newData in a .read, a wildcard that is not in scope above")
  func leavesOut() throws {
    let found = try mutants("data.child($y).exists()", kind: "read")
    #expect(found["data-new-data"] == nil)
    #expect(found["move-up"] == nil)
    #expect(try mutants("auth.uid == $x")["move-up"] == ["auth.uid == $x"])
  }

  private static let owned = """
    {"rules": {"users": {"$uid": {
      ".read": "auth != null && auth.uid == $uid",
      ".write": "auth.uid == $uid",
      ".validate": "newData.isString() && newData.val().length < 10"
    }}}}
    """

  private static let weak = """
    users: {ann: {uid: ann}, bob: {uid: bob}}
    cases:
      - {as: ann, read: /users/ann, expect: allow}
      - {as: ann, write: /users/ann, value: hello, expect: allow}
    """

  @Test("suggested tests kill the surviving mutants")
  func missingTests() throws {
    let first = try report(Self.owned, [Self.weak])
    #expect(first.killed > 0)
    #expect(first.survived > 0)
    #expect(first.undecided == 0)
    let missing = String(decoding: first.missingTests(rulesFile: "rules.json").text(), as: UTF8.self)
    let second = MutationRun(
      try rules(Self.owned), tests: [try file(Self.weak), try file(missing, "missing.json")],
      nowMilliseconds: Self.now
    ).report()
    #expect(second.survived == 0)
    #expect(second.score == 1)
    #expect(second.killed == first.killed + first.survived)
    // The tests pass with the original rules.
    let results = RulesTestRun.run(try file(missing, "missing.json"), rules: try rules(Self.owned))
    #expect(results.allSatisfy { $0.failure == nil })
  }

  @Test("equivalent mutants are proved equal and not counted")
  func equivalent() throws {
    let report = try report(Self.owned, [Self.weak])
    let same = report.entries.filter { if case .equivalent = $0.result { true } else { false } }
    // $uid is never null, so the result is the same.
    #expect(same.contains { $0.mutant.operation == .dropConjunct && $0.mutant.expression == "(auth.uid == $uid)" })
    #expect(report.score < 1)
  }

  @Test("a mutant covered by another rule has no suggested test")
  func shadowed() throws {
    let report = try report(
      #"{"rules": {".read": true, "a": {".read": "auth != null"}}}"#, ["cases: [{read: /, expect: allow}]"])
    let below = report.entries.filter { $0.mutant.rule.place == ["a"] }
    #expect(!below.isEmpty)
    #expect(below.allSatisfy { if case .equivalent = $0.result { true } else { false } })
  }

  @Test("the JSON report")
  func json() throws {
    let json = try report(Self.owned, [Self.weak]).json
    for name in ["mutants", "killed", "survived", "equivalent", "undecided"] { #expect(json[name]?.int != nil) }
    let survivor = try #require(json["survivors"]?.array?.first)
    #expect(survivor["operator"]?.string != nil)
    #expect(survivor["line"]?.int != nil)
    #expect(survivor["test"]?["cases"]?.array?.count == 1)
  }

  @Test("a rule is replaced, added, and ignored where the file has no such location")
  func replaces() throws {
    let rules = try rules(Self.owned)
    #expect(
      try rules.replacing(.read, at: ["users", "$uid"], with: "true").root.child("users")?.wildcard?.read?.text
        == "true")
    #expect(try rules.replacing(.read, at: ["users"], with: "false").root.child("users")?.read?.text == "false")
    #expect(try rules.replacing(.read, at: ["nowhere"], with: "true").strictJSON == rules.strictJSON)
    #expect(throws: RulesError.self) { try rules.replacing(.read, at: [], with: "1 +") }
    // A text that a file must escape.
    let quoted = try rules.replacing(.write, at: ["users"], with: #"auth.uid == "a\\b""#)
    #expect(try RuleSet.compile(quoted.source).strictJSON == quoted.strictJSON)
  }
  @Test("rules off the path to a replaced rule are shared, and every rule has its own number")
  func sharesTheRest() throws {
    let rules = try rules(
      #"{"rules": {"a": {".read": true, "b": {".write": false}, "$x": {".read": false}}, "c": {".read": "auth != null"}}}"#
    )
    let (old, new) = (rules.root, try rules.replacing(.read, at: ["a", "$x"], with: "auth != null").root)
    #expect(new.child("c") === old.child("c"))
    #expect(new.child("a") !== old.child("a"))
    #expect(new.child("a")?.child("b") === old.child("a")?.child("b"))
    #expect(new.child("a")?.wildcard?.read?.number == old.child("a")?.wildcard?.read?.number)
    // A rule that did not exist is added.
    let more = try rules.replacing(.validate, at: ["a", "$x"], with: "newData.isString()")
    #expect(more.root.hasValidation && !rules.root.hasValidation)
    #expect(Set(more.allRules.compactMap(\.number)) == Set(0..<5))
    #expect(try RuleSet.compile(more.source).root.child("a")?.wildcard?.validate?.text == "newData.isString()")
  }

  @Test("the mutants of rules that are too long in total are omitted, and count as not noticed")
  func leavesTooManyOut() throws {
    let rules = try rules(Self.owned)
    let all = MutationRun(rules, tests: [try file(Self.weak)], nowMilliseconds: Self.now).report()
    let few = MutationRun(rules, tests: [try file(Self.weak)], nowMilliseconds: Self.now, bytesMax: 200).report()
    #expect(all.skipped == 0)
    #expect(few.skipped > 0 && !few.entries.isEmpty)
    #expect(few.entries.reduce(0) { $0 + $1.mutant.rule.text.utf8.count } <= 200)
    #expect(few.score < 1)
    #expect(few.json["skipped"]?.int == Int64(few.skipped))
    #expect(few.text(file: "rules.json", TerminalStyle(isColored: false)).contains("skipped: the rules are too long"))
  }
}
