import HearthRules
import Testing

@Suite("Refusals of uploaded rules")
struct RefusalTests {
  private static func ordering(_ sign: String, _ side: String) -> String {
    "Invalid \(sign) expression: \(side) operand must be an ordering or string literal when comparing against an ordering."
  }

  @Test("Rules that were in force before stay in force, and are refused when they are uploaded again")
  func acceptedBefore() throws {
    let text = #"{"rules":{"$u":{".read":"query.orderByChild == 'members/' + auth.uid"}}}"#
    #expect(throws: RulesError.self) { try RuleSet.compile(text) }
    #expect(try RuleSet.recompile(text).source == text)
  }

  @Test("A byte-order mark is not part of the rules that are stored")
  func byteOrderMark() throws {
    let text = #"{"rules":{".read":true}}"#
    #expect(try RuleSet.compile("\u{FEFF}" + text).source == text)
  }

  @Test(
    "A rule that does not fit the language is refused with Firebase's message",
    arguments: [
      ("root.child('foo') != null", "Invalid != expression: left operand is not a number, boolean, string, or null."),
      ("null != root", "Invalid != expression: right operand is not a number, boolean, string, or null."),
      ("null == root", "Invalid == expression: right operand is not a number, boolean, string, or null."),
      ("root.val() > true", "Invalid > expression: right operand must be a number or string."),
      ("null > null", "Invalid > expression: left operand must be a number or string."),
      ("auth.uid = 'x'", "Rule expressions may not contain assignments."),
      ("auth.uid += 'x'", "Rule expressions may not contain assignments."),
      // Outside strict mode 010 is 8, and readers take it for 10, so it is refused as ambiguous.
      ("010 == 8", "number format error"), ("auth.n == 007", "number format error"),
      ("7", "Expression must evaluate to a boolean."),
      ("'foo'", "Expression must evaluate to a boolean."),
      ("auth.uid", "Expression must evaluate to a boolean."),
      ("data.val()", "Expression must evaluate to a boolean."),
      ("data", "Expression must evaluate to a boolean."),
      ("auth.s === 'one' ? 7 : true", "Expression must evaluate to a boolean."),
      ("!auth.uid", "! only operates on booleans."),
      ("!data.val()", "! only operates on booleans."),
      ("auth.uid && true", "Left operand of && must be boolean."),
      ("data.val() && true", "Left operand of && must be boolean."),
      ("true && true && 1", "Right operand of && must be boolean."),
      ("true || 1", "Right operand of || must be boolean."),
      ("1 ? true : false", "Condition of ? must be boolean."),
      ("['a']", "Unexpected array literal."),
      ("data.exists == true", "Invalid == expression: left operand is not a number, boolean, string, null."),
      ("newData.val().length() > 0", "Type error: Function call on target that is not a function."),
      ("now.foo == 1", "Invalid property access: target is not an object."),
      ("(true ? 1 : 'a').length == 1", "Invalid property access: target is not an object."),
      ("query.limitToFirst.length == 1", "Invalid property access: target is not an object."),
      ("query.orderByChild.length == 1", "Invalid property access: target is not an object."),
      ("query.orderByChild == auth.uid", Self.ordering("==", "right")),
      ("query.orderByChild == 'members/' + 'abc'", Self.ordering("==", "right")),
      ("query.orderByChild != data.val()", Self.ordering("!=", "right")),
      ("auth.uid == query.orderByChild", Self.ordering("==", "left")),
      ("newData.hasChildren([,'a'])", "syntax error"), ("newData.hasChildren(['a',,])", "syntax error"),
      ("newData.hasChildren([,])", "syntax error"), ("auth.uid.contains('a',)", "syntax error"),
      ("auth.exists()", "Type error: Function call on target that is not a function."),
      ("auth()", "Type error: Function call on target that is not a function."),
      ("data.exists()()", "Type error: Function call on target that is not a function."),
      ("query.orderByKey()", "Type error: Function call on target that is not a function."),
      ("query.foo == 1", "No such method/property 'foo'."),
      ("newData.val()['kind'] == 'a'", "No such method/property 'kind'."),
      ("newData.numChildren() > 1", "No such method/property 'numChildren'."),
      ("data.exists(1)", "exists() expects no arguments."),
      ("data.parent('a').exists()", "parent() expects no arguments."),
      ("auth.uid.toLowerCase('a') == 'b'", "toLowerCase() expects no arguments."),
      ("data.child(1).exists()", "child() expects a string argument."),
      ("data.child(query.orderByChild).exists()", "child() expects a string argument."),
      (
        "newData.hasChildren('a','b')",
        "hasChildren() expects only a single argument (containing an array of child names)."
      ),
      ("newData.hasChildren('a')", "hasChildren() expects an array of child names."),
      ("newData.hasChildren(['a', 1])", "hasChildren() expects an array of strings."),
      ("newData.val().matches('^a')", "matches() expects a regular expression literal argument."),
      ("newData.val().matches()", "matches() expects 1 regular expression literal argument."),
      ("newData.val().matches(/[a/)", "unterminated regular expression literal"),
      ("newData.val().matches(/^A/g)", "regular expressions do not support flags other than i"),
      ("newData.val().replace(/a/, 'z') == 'z'", "Argument 1 of replace() must be a string."),
      ("newData.val().replace('a') == 'z'", "replace() expects two arguments."),
      ("data.val() - 'a' == 1", "Invalid - expression: right operand is not a number."),
      ("true + 1 == 2", "Invalid + expression: left operand is not a number or string."),
      ("$other == 'a'", "Unknown variable '$other'."),
      ("undefined == 1", "Unknown variable 'undefined'."),
      ("NaN == 1", "Unknown variable 'NaN'."),
      ("'a", "unterminated string literal"),
      ("", "Invalid rule expression.  Expected 'true', 'false', or an expression string."),
      ("  /* nothing */ ", "Invalid rule expression.  Expected 'true', 'false', or an expression string."),
      ("auth.uid === '5'; auth.id === 5", "missing ; before statement"),
      ("true true", "missing ; before statement"),
      ("data.child('a'.exists()", "missing ) after argument list"),
      ("(true", "missing ) in parenthetical"),
      ("true ? false", "missing : in conditional expression"),
      ("auth. == 1", "missing name after . operator"),
      ("auth['a' == 1", "missing ] in index expression"),
      ("(2**2) == 4", "syntax error"),
    ])
  func refusals(expression: String, message: String) {
    #expect(RulesFixtures.refusal(expression) == message, "\(expression)")
  }

  @Test(
    "JavaScript outside the rules language is refused",
    arguments: [
      "root['exi' + 'sts']() == false", "root[$foo]() == false", "+1 == 1", "typeof auth == 'x'", "1 | 1 == 1",
      "~1 == 1", "(1, true)", "1, true", "{}", "function() { return true }", "this == null", "new Date() > now",
      "if (true) true", "true;;", "a => a", "'a' in auth", "010 == 8", "'\\1' == ''", "0x == 1", "1e == 1", "1a == 1",
      "newData.val().matches(/a$b/)", "`a` == 'a'", "#true", "true ? : true",
    ])
  func outsideTheLanguage(expression: String) {
    #expect(RulesFixtures.refusal(expression, below: ["$foo"]) != nil, "\(expression)")
  }

  @Test(
    "The whole rules language is accepted",
    arguments: [
      "auth.foo[$foo] == true", "auth.foo[0] == true", "auth['a']['b'] == 1", "root['exists']()",
      "auth != null ? true : false", "auth.uid.length > 0", "newData.hasChildren([])", "1 < 'a'",
      "query.limitToFirst <= 10", "auth.uid + 1 > 'x'", "true;", "true // why", "/* a */ true", "now > 1.5e3",
      "now > .5", "now > 0xFF", "now > 1.", "'\\x41\\u0042\\n' == \"a\"", "!(!true)", "-now < - -1",
      "(true ? data : newData).exists()", "(data.exists() ? query : query).orderByKey", "true\n&&\ttrue",
      "newData.val().matches(/a/i)", "newData.val().matches(/[/]/)", "(true ? 1 : 'a') == 1",
      "newData.val().contains(auth.token.x)", "data.child($foo + '/' + now).exists()",
    ])
  func insideTheLanguage(expression: String) {
    #expect(RulesFixtures.refusal(expression, below: ["$foo"]) == nil, "\(expression)")
  }

  @Test("newData is refused in .read, and nowhere else")
  func newDataInRead() {
    #expect(RulesFixtures.refusal("newData.exists()", as: .read) == "newData is invalid in .read expressions.")
    #expect(RulesFixtures.refusal("newData.exists()", as: .validate) == nil)
  }

  @Test("A wildcard is in scope at its own location and below, but not beside")
  func wildcardScope() throws {
    #expect(RulesFixtures.refusal("$a == $b", below: ["$a", "x", "$b"]) == nil)
    #expect(throws: RulesError.self) {
      try RuleSet.compile(#"{"rules":{"x":{"$a":{}},"y":{".read":"$a == 'a'"}}}"#)
    }
  }

  @Test("Nesting and length have limits, within which expressions are accepted")
  func limits() {
    let nesting = RulesLimits.expressionNestingMax
    func nested(_ count: Int) -> String {
      String(repeating: "(", count: count) + "true" + String(repeating: ")", count: count)
    }
    #expect(RulesFixtures.refusal(nested(nesting - 1)) == nil)
    #expect(RulesFixtures.refusal(nested(nesting)) == "Rule expression is nested too deeply.")
    #expect(RulesFixtures.refusal(String(repeating: "!", count: nesting - 1) + "true") == nil)
    #expect(
      RulesFixtures.refusal(String(repeating: "!", count: nesting) + "true") == "Rule expression is nested too deeply.")
    let sum = Array(repeating: "1", count: RulesLimits.expressionHeightMax - 1).joined(separator: "+")
    #expect(RulesFixtures.refusal("\(sum) == 1") == nil)
    #expect(RulesFixtures.refusal("1+\(sum) == 1") == "Rule expression is nested too deeply.")
    #expect(RulesFixtures.refusal(Array(repeating: "true", count: 5000).joined(separator: " || ")) == nil)
    let long = Array(repeating: "true", count: RulesLimits.expressionNodesMax).joined(separator: "||")
    #expect(RulesFixtures.refusal(long) == "Rule expression is too long.")
  }
}
