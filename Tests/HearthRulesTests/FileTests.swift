import HearthRules
import HearthTree
import Testing

@Suite("The rules file")
struct FileTests {
  private func problem(_ source: String) -> String? {
    do {
      _ = try RuleSet.compile(source)
      return nil
    } catch {
      return error.uploadErrorText
    }
  }

  @Test(
    "Comments, one trailing comma, and line breaks and tabs in strings are allowed",
    arguments: [
      #"{"rules":{}}"#, "{ // why\n\"rules\": { /* a\n b */ \".read\": true, }, }",
      "{\"rules\":{\".read\":\"true\n\t && true\r\n && true\"}}", #"{"rules":{"a":{".indexOn":["x","y/z",]}}}"#,
      #"{"rules":{"a":{".indexOn":".value"},"b":{}}}"#, "\u{FEFF}{\"rules\":{}}",
      #"{"rules":{".read":"\u0074rue"}}"#, "{\"rules\":{}} // end",
    ])
  func allowances(source: String) {
    #expect(problem(source) == nil, "\(source)")
  }

  @Test("An index of keys is accepted without an effect")
  func keyIndex() throws {
    let rules = try RuleSet.compile(#"{"rules":{"a":{".indexOn":[".key","b"]},"c":{".indexOn":".key"}}}"#)
    #expect(rules.indexes(at: Path("a")) == [.child(Path("b"))])
    #expect(rules.indexes(at: Path("c")).isEmpty)
    #expect(problem(#"{"rules":{".indexOn":".keys"}}"#)?.contains("String can't contain") == true)
  }

  @Test(
    "A file that is not a rules file is refused with line and column",
    arguments: [
      ("{}", "1:2: Expected 'rules' property.\n"),
      (#"{"rule":{}}"#, "1:2: Expected 'rules' property.\n"),
      ("", "1:1: Parse error. Expected '{'.\n"),
      ("[]", "1:1: Parse error. Expected '{'.\n"),
      (#"{"rules":{},"x":1}"#, "1:13: Unexpected property 'x'.\n"),
      (#"{"rules":true}"#, "1:10: Expected '{'.\n"),
      ("{\n  \"rules\": {\n    \".read\": \"tr\"\n  }\n}", "3:15: Unknown variable 'tr'.\n"),
      (#"{"rules":{,}}"#, "1:11: Unexpected ','.\n"),
      (#"{"rules":{},,}"#, "1:13: Expected '\"'.\n"),
      ("{\"rules\":{\".read\":\"true\\\n\"}}", "1:24: Invalid escape: '\\\n'\n"),
      (#"{"rules":{".read":"a\d"}}"#, "1:21: Invalid escape: '\\d'\n"),
      (#"{"rules":{"a":{},"a":{}}}"#, "1:18: 'a' occurs multiple times.\n"),
      (
        #"{"rules":{".write":{"x":1}}}"#,
        "1:20: Invalid rule expression.  Expected 'true', 'false', or an expression string.\n"
      ),
      (#"{"rules":{"$x":{},"$y":{}}}"#, "1:19: Cannot have multiple default rules ('$x' and '$y').\n"),
      (#"{"rules":{"a#b":{}}}"#, ##"1:11: String can't contain ".", "#", "$", "/", "[", or "]""## + "\n"),
      (#"{"rules":{".raed":{}}}"#, ##"1:11: String can't contain ".", "#", "$", "/", "[", or "]""## + "\n"),
      (#"{"rules":{".raed":"true"}}"#, "1:19: Expected '{'.\n"),
      (#"{"rules":{"b":"true"}}"#, "1:15: Expected '{'.\n"),
      (
        #"{"rules":{".indexOn":5}}"#,
        "1:22: Invalid indexOn expression. Must be either a string or an array of strings\n"
      ),
      (#"{"rules":{}"#, "1:12: Parse error. Expected ',' or '}'.\n"),
      ("invalid json %{!@[", "1:1: Parse error. Expected '{'.\n"),
      (#"{1"rules":{}}"#, "1:2: Parse error. Expected '\"'.\n"),
      ("{\"rules\":{\".read\":", "1:19: Parse error. Unexpected end of file.\n"),
      ("{\"rules\":{\".read\":\"true", "1:19: Parse error. Unterminated string.\n"),
      (#"{"rules":{}} x"#, "1:14: Parse error. Unexpected 'x'.\n"),
      (#"{"rules":{".read":tru}}"#, "1:19: Parse error. Unexpected 't'.\n"),
      (#"{"rules":{"a" {}}}"#, "1:15: Parse error. Expected ':'.\n"),
      ("{\"rules\":{/* }}", "1:11: Parse error. Unterminated comment.\n"),
      ("{\"ru\nles\":{}}", "1:5: Parse error. Unexpected control character in a string.\n"),
      (#"{"rules":{".read":"\ud800"}}"#, "1:20: Parse error. Invalid escape: half of a surrogate pair\n"),
    ])
  func refusals(source: String, text: String) {
    #expect(problem(source) == text, "\(source)")
  }

  @Test("Every bad expression is reported, in file order, with its first problem only")
  func severalProblems() {
    let source = "{\"rules\":{\n\".write\": \"a && b\",\n\"x\":{\".read\":\"1\"}}}"
    #expect(problem(source) == "2:12: Unknown variable 'a'.\n3:15: Expression must evaluate to a boolean.\n")
  }

  @Test("The place of an error inside an expression is correct after escapes, line breaks and wide characters")
  func places() {
    #expect(problem(#"{"rules":{".read":"'\"\\\\' == foo"}}"#) == "1:32: Unknown variable 'foo'.\n")
    #expect(problem("{\"rules\":{\".read\":\"true &&\n  foo\"}}") == "2:3: Unknown variable 'foo'.\n")
    #expect(problem("{\"rules\":{\".read\":\"'😀' == foo\"}}") == "1:28: Unknown variable 'foo'.\n")
  }

  @Test("A printed error shows the line, a caret and help")
  func rendering() throws {
    let source = "{\n  \"rules\": {\n\t\".read\": \"tr\"\n  }\n}"
    let error = #expect(throws: RulesError.self) { try RuleSet.compile(source) }
    #expect(
      error?.rendered(file: "rules.json") == """
        rules.json:3:12: error: Unknown variable 'tr'.
        \t".read": "tr"
        \t          ^
        help: The variables are auth, now, root, data, newData, query and the wildcards of the path.

        """)
  }

  @Test("The source is returned as uploaded, and without comments as plain JSON")
  func sourceAndStrictJSON() throws {
    let source = "{ // why\n\"rules\": {\".read\": \"true\n\t\", \"a\": {\".indexOn\": [\"b\", ],},},}"
    let rules = try RuleSet.compile(source)
    #expect(rules.source == source)
    let strict = String(decoding: rules.strictJSON, as: UTF8.self)
    #expect(strict == #"{"rules":{".read":"true\n\t","a":{".indexOn":["b"]}}}"#)
    #expect(try RuleSet.compile(strict).strictJSON == rules.strictJSON)
  }

  @Test("Indexes are found by location, through wildcards")
  func indexes() throws {
    let rules = try RuleSet.compile(
      #"{"rules":{"a":{"$x":{".indexOn":["n","p/q"]}},"b":{".indexOn":".value"}}}"#)
    #expect(rules.indexes(at: Path("a/1")) == [.child(Path("n")), .child(Path("p/q"))])
    #expect(rules.indexes(at: Path("b")) == [.value])
    #expect(rules.indexes(at: Path("a")) == [])
    #expect(rules.indexes(at: Path("c/d")) == [])
  }

  @Test("The rules of a new database deny everything")
  func denyAll() throws {
    let read = ReadRequest(path: .root, root: .empty, auth: RulesFixtures.alice, nowMilliseconds: RulesFixtures.now)
    #expect(!RuleSet.denyAll.decideRead(read).isAllowed)
    let write = WriteRequest(
      oldRoot: .empty, newRoot: .empty, locations: [Location(path: .root)], auth: nil,
      nowMilliseconds: RulesFixtures.now)
    #expect(!RuleSet.denyAll.decideWrite(write).isAllowed)
  }

  @Test("A file beyond the size limit is refused")
  func size() throws {
    let blanks = String(repeating: " ", count: RulesLimits.fileBytesMax - 12)
    #expect(problem(#"{"rules":{}}"# + blanks) == nil)
    #expect(problem(#"{"rules":{}}"# + blanks + " ") != nil)
  }

  @Test("A file nested beyond the limit is refused without harm")
  func nesting() {
    func nested(_ depth: Int) -> String {
      #"{"rules":"# + String(repeating: #"{"a":"#, count: depth) + "{}" + String(repeating: "}", count: depth) + "}"
    }
    #expect(problem(nested(RulesLimits.fileDepthMax - 2)) == nil)
    #expect(problem(nested(RulesLimits.fileDepthMax - 1)) != nil)
    #expect(problem(nested(100_000)) != nil)
  }
}
