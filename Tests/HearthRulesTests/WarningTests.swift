import HearthRules
import HearthTree
import Testing

@Suite("Warnings")
struct WarningTests {
  @Test("Ordinary files have no warnings")
  func none() throws {
    let source = #"""
      {"rules": {"$a": {".validate": "newData.val().matches(/^.{1,500}$/)", "$b": {}}, "x": {"$a": {".read": true}}}}
      """#
    #expect(try RuleSet.compile(source).warnings == [])
    #expect(try RuleSet.compile(source).renderedWarnings(file: "rules.json") == "")
  }

  @Test("A wildcard name that is reused below is a warning")
  func hiddenWildcard() throws {
    let source = #"""
      {"rules": {"rooms": {"$id": {
        ".read": "$id == 'r1'",
        "members": {"$id": {".write": "$id == auth.uid", "$other": {".write": "$id == 'm1' && $other == 'o1'"}}}
      }}}}
      """#
    let rules = try RuleSet.compile(source)
    #expect(
      rules.renderedWarnings(file: "rules.json") == """
        rules.json:3:15: warning: Wildcard '$id' is also used above: from here on it stands for the key that it matches here.
          "members": {"$id": {".write": "$id == auth.uid", "$other": {".write": "$id == 'm1' && $other == 'o1'"}}}
                      ^
        help: Rename one of the two; rules below cannot refer to the key above.

        """)
    func mayWrite(_ path: String) -> Bool {
      let path = Path(path)
      return rules.decideWrite(
        WriteRequest(
          oldRoot: .empty, newRoot: Node.empty.replacing(path, with: Node(.int(1))), locations: [Location(path: path)],
          auth: RulesFixtures.alice, nowMilliseconds: RulesFixtures.now)
      ).isAllowed
    }
    #expect(mayWrite("rooms/r1/members/alice"))
    #expect(!mayWrite("rooms/alice/members/bob"))
    #expect(mayWrite("rooms/alice/members/m1/o1"))
    #expect(!mayWrite("rooms/m1/members/o1/o1"))
    let read = ReadRequest(path: Path("rooms/r1"), root: .empty, auth: nil, nowMilliseconds: RulesFixtures.now)
    #expect(rules.decideRead(read).isAllowed)
  }

  @Test("A wildcard name that is reused beside is no warning")
  func sameNameBeside() throws {
    #expect(try RuleSet.compile(#"{"rules":{"a":{"$x":{}},"b":{"$x":{}}}}"#).warnings == [])
  }

  @Test("An expression with a high cost is reported with its place")
  func costlyExpression() throws {
    let source = "{\"rules\": {\n  \".validate\": \"newData.val().matches(/^.*a.{0,1000}b.{0,1000}c$/)\"\n}}"
    let warnings = try RuleSet.compile(source).warnings
    #expect(warnings.count == 1)
    #expect(warnings.first?.line == 2)
    #expect(warnings.first?.column == 39)
    #expect(
      warnings.first?.message
        == "This regular expression is expensive: a string of more than 999 bytes fails the rule.")
    #expect(warnings.first?.help?.contains("length") == true)
  }
}
