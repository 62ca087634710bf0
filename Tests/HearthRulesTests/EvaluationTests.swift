import HearthRules
import HearthTree
import Testing

@Suite("The results of rules")
struct EvaluationTests {
  @Test(
    "When signed out, auth and its members are null, and method calls on it are errors",
    arguments: [
      ("auth == null", .yes), ("auth.foo.baz == null", .yes), ("auth.contains('75')", .error),
      ("auth.not.found.length > 0", .error), ("!(auth.dreams.length > 1)", .error),
      ("root.child('users/' + auth.uid).exists()", .error), ("root.child(auth.uid).exists()", .error),
      ("auth['a'][0] == null", .yes),
    ] as [(String, Outcome)])
  func signedOut(expression: String, outcome: Outcome) throws {
    #expect(try RuleEvaluation(auth: nil).write(expression) == outcome, "\(expression)")
  }

  @Test(
    "Claims keep their JSON types",
    arguments: [
      ("(auth.someString + 1) == 2", .no), ("(auth.someString + 1) == '11'", .yes),
      ("(1 + auth.someBool) == 2", .error),
      ("'one' == auth.someInt", .no), ("'one' > auth.someInt", .error), ("auth.someInt == 7", .yes),
      ("auth.someInt == 7.0", .yes), ("auth.token.admin == null", .yes), ("auth.token.deep.list[1] == 'b'", .yes),
      ("auth.token.deep.list['1'] == 'b'", .yes), ("auth.token.deep.list[2] == null", .yes),
      ("auth.token.deep.list['01'] == null", .yes), ("auth.token.deep.list.length == 2", .yes),
      ("auth.token.deep != null", .yes), ("auth.token.deep == auth.token.deep", .no),
      ("auth.token['google.com'] == 'x'", .yes), ("auth.token[auth.token.name] == 'x'", .yes),
      ("auth.uid.length == 5", .yes), ("auth.someInt.length == 1", .error), ("auth.uid.foo == null", .yes),
      ("auth.token.deep.contains('a')", .error), ("auth.token[null + ''] == 1", .error),
      ("auth.uid.foo.bar[0] == null", .yes), ("auth.token.length == null", .yes),
      ("(auth.someBool == true ? auth.token : auth).deep.list[0] == 'a'", .yes),
    ] as [(String, Outcome)])
  func claims(expression: String, outcome: Outcome) throws {
    let auth = try RulesFixtures.json(
      #"{"uid":"alice","someString":"1","someInt":7,"someBool":true,"#
        + #""token":{"deep":{"list":["a","b"]},"google.com":"x","name":"google.com"}}"#)
    if expression.contains("null + ''") {
      #expect(RulesFixtures.refusal(expression) != nil)
    } else {
      #expect(try RuleEvaluation(auth: auth).write(expression) == outcome, "\(expression)")
    }
  }

  @Test(
    "Operators convert no types and fail on others",
    arguments: [
      ("(1/0 + '') == 'NaN'", .yes), ("(1/0) > 2", .no), ("(1/0) < 2", .no), ("(0/0) == (0/0)", .no),
      ("(1 % 0 + '') == 'NaN'", .yes), ("5 % 3 == 2", .yes), ("-5 % 3 == -2", .yes), ("1 == 1.0", .yes),
      ("1 < 'a'", .error), ("'a' < 'b'", .yes), ("'b' <= 'a'", .no), ("'a' >= 'a'", .yes), ("'a' > 'a'", .no),
      ("5 == '5'", .no), ("1 == true", .no), ("false == ''", .no), ("null == null", .yes), ("null != 0", .yes),
      ("'1' + 1 == '11'", .yes), ("1 + 1 + 'a' == '2a'", .yes), ("'a' + 1 + 1 == 'a11'", .yes),
      ("'' + 1.5 == '1.5'", .yes), ("'' + 100000000000000000000 == '100000000000000000000'", .yes),
      ("'' + 1e21 == '1e+21'", .yes), ("'' + 0.000001 == '0.000001'", .yes), ("'' + 1e-7 == '1e-7'", .yes),
      ("'' + -1.5e-9 == '-1.5e-9'", .yes), ("'' + 123456789.125 == '123456789.125'", .yes),
      ("'' + -0 == '0'", .yes), ("'' + (1/3) == '0.3333333333333333'", .yes), ("'' + 1e400 == 'Infinity'", .yes),
      ("!(true || false && false)", .no), ("true ? false : true || true", .no), ("true == 1 < 2", .yes),
      ("data.val() + 1 == 1 || true", .error), ("1 > data.val() || true", .error), ("true || data.val() > 1", .yes),
      ("false && data.val() > 1", .no), ("!(data.val() > 1)", .error), ("(data.val() > 1) ? true : true", .error),
      ("data.val() + 'a' == 'nulla'", .error), ("-data.val() == 0", .error),
      ("'\u{E9}' == 'e\u{301}'", .no), ("'\u{FF5E}' > '\u{1F600}'", .yes), ("'\u{D7FF}' < '\u{1F600}'", .yes),
      ("'a' < 'ab'", .yes), ("'' < 'a'", .yes), ("now == 1783800000000", .yes), ("true == (1 == 1)", .yes),
    ] as [(String, Outcome)])
  func operators(expression: String, outcome: Outcome) throws {
    #expect(try RuleEvaluation().write(expression) == outcome, "\(expression)")
  }

  @Test(
    "String methods work on code units",
    arguments: [
      ("newData.val().contains('b')", .yes), ("newData.val().contains('')", .yes), ("'abc'.beginsWith('ab')", .yes),
      ("'foofoo'.endsWith('foo')", .yes), ("'a'.endsWith('xy')", .no), ("'a'.beginsWith('ab')", .no),
      ("newData.val().replace('_','-') === 'a-b-c'", .yes), ("'/a/g'.replace('/a/g', 'z') == 'z'", .yes),
      ("'a'.replace('/a/g','z') == 'z'", .no), ("'aaa'.replace('aa','b') == 'ba'", .yes),
      ("'ab'.replace('','-') == '-a-b-'", .yes), ("'a$b'.replace('b','$&') == 'a$$&'", .yes),
      ("'aabaabaaab'.replace('aabaaab','X') == 'aabX'", .yes),
      ("'aabaabaaab'.contains('abaaab')", .yes), ("'aabaabaaab'.contains('abaaabb')", .no),
      ("'x😀'.length == 3", .yes), ("'é'.length == 1", .yes), ("'É'.toLowerCase() == 'é'", .yes),
      ("'ab'.toUpperCase() == 'AB'", .yes), ("newData.val().contains(newData.child('p').val())", .error),
      ("newData.val().contains(data.val())", .error), ("data.val().length > 0", .error),
      ("'abc'['length'] == 3", .yes), ("'abc'['contains']('b')", .yes),
    ] as [(String, Outcome)])
  func texts(expression: String, outcome: Outcome) throws {
    #expect(try RuleEvaluation(written: #""a_b_c""#).write(expression) == outcome, "\(expression)")
  }

  @Test(
    "Snapshots read the tree; invalid keys have no value",
    arguments: [
      ("root.parent().exists()", .error), ("data.parent().parent().exists()", .error), ("root['exists']()", .yes),
      ("root.child('banned/bob@example.com').val() != true", .yes), ("newData.child('./x').exists()", .no),
      ("newData.child('a/../x').exists()", .no), ("newData.child('/x/').val() == 1", .yes),
      ("newData.child('a//b').val() == 2", .yes), ("newData.child('').exists()", .no), ("newData.hasChild('')", .no),
      ("newData.child('/').exists()", .no), ("newData.hasChild('a/b')", .yes),
      ("newData.child('a').hasChild('c')", .no),
      ("newData.hasChildren()", .yes), ("newData.child('x').hasChildren()", .no), ("newData.hasChildren([])", .yes),
      ("newData.child('x').hasChildren([])", .yes), ("newData.hasChildren(['x', 'a/b'])", .yes),
      ("newData.hasChildren(['x',])", .yes), ("newData.hasChildren(['x','y',])", .no),
      ("newData\u{3000}.hasChildren(\u{2003}['x'\u{202F}])", .yes),
      ("newData.hasChildren(['x', 'y'])", .no), ("newData.hasChildren(['y', data.val()])", .error),
      ("newData.child('x').isNumber()", .yes), ("newData.child('s').isString()", .yes),
      ("newData.child('t').isBoolean()", .yes), ("newData.isString()", .no), ("newData.child('n').isNumber()", .no),
      ("newData.val() != null", .yes), ("newData.val() == null", .no), ("newData.val() == newData.val()", .no),
      ("newData.val() > 1", .error), ("newData.val() + 'a' == 'a'", .error),
      ("newData.child('x').parent().child('a/b').val() == 2", .yes),
      ("newData.child('a/b').parent().hasChild('b')", .yes),
      ("newData.parent().child('p/x').val() == 1", .yes), ("newData.child(data.val()).exists()", .error),
      ("newData.child(newData.child('s').val()).val() == 1", .yes),
      ("newData.child('' + newData.child('s').val() + '').val() == 1", .yes),
      ("newData.child(newData.child('x').val()).exists()", .error),
      ("newData.child('' + newData.child('x').val()).exists()", .no),
      ("root.child('q').child(newData.child('s').val()).parent().val() == 3", .yes),
      ("root.child('q').val() == 3", .yes),
      ("data.exists()", .no), ("root.child('p').exists()", .no), ("newData.getPriority() == 7", .yes),
      ("newData.child('pr').getPriority() == 'high'", .yes), ("newData.child('pr').val() == 'v'", .yes),
      ("newData.child('x').getPriority() == null", .yes), ("data.child('a').child(data.val()).exists()", .error),
      ("(data.exists() ? data : newData).child('x').val() == 1", .yes),
      ("(data.exists() ? data : newData).hasChildren(['x'])", .yes),
      ("(data.exists() ? root : newData.child('a')).parent().child('x').exists()", .yes),
    ] as [(String, Outcome)])
  func snapshots(expression: String, outcome: Outcome) throws {
    let evaluation = RuleEvaluation(
      stored: #"{"q":3}"#,
      written: #"{"x":1,"a":{"b":2},"s":"x","t":true,"pr":{".value":"v",".priority":"high"},".priority":7}"#)
    #expect(try evaluation.write(expression) == outcome, "\(expression)")
  }

  @Test("newData.val() equals now when the server timestamp is written, and the sum when an increment is written")
  func serverValues() throws {
    let timestamp = RuleEvaluation(written: #"{".sv":"timestamp"}"#)
    #expect(try timestamp.write("newData.val() == now") == .yes)
    let increment = RuleEvaluation(stored: #"{"p":4}"#, written: #"{".sv":{"increment":1}}"#)
    #expect(try increment.write("newData.val() == data.val() + 1") == .yes)
  }

  @Test(
    "A pattern on a number's text accepts integers only",
    arguments: [("123", Outcome.yes), ("1.1", .no), ("-7", .yes), ("0", .yes)])
  func numberPattern(written: String, outcome: Outcome) throws {
    #expect(try RuleEvaluation(written: written).write(#"(newData.val() + '').matches(/^-?\d+$/)"#) == outcome)
  }

  @Test("A wildcard is a string, even for a key of digits")
  func wildcardIsText() throws {
    let rules = try RuleSet.compile(#"{"rules":{"$key":{".write":"$key == newData.val()"}}}"#)
    let request = WriteRequest(
      oldRoot: .empty, newRoot: try RulesFixtures.node(#"{"5":5}"#), locations: [Location(path: Path("5"))], auth: nil,
      nowMilliseconds: RulesFixtures.now)
    #expect(!rules.decideWrite(request).isAllowed)
  }

  @Test("query has the request's parameters; a plain read has no order")
  func queries() throws {
    #expect(try RuleEvaluation().read("query.orderByKey == true") == .no)
    #expect(try RuleEvaluation().read("query.limitToFirst <= 2") == .error)
    #expect(
      try RuleEvaluation(query: Query(limit: .first(2))).read("query.orderByKey && query.limitToFirst <= 2") == .yes)
    let child = Query(order: .child(Path("foo/bar")), start: .init(value: .int(1)), end: .init(value: .int(1)))
    #expect(try RuleEvaluation(query: child).read("query.orderByChild == 'foo/bar' && query.equalTo == 1") == .yes)
    // Some clients send explicit keys at both ends.
    let spelled = Query(
      order: .value, start: .init(value: .int(1), key: .lowest, isInclusive: false),
      end: .init(value: .double(1), key: .highest))
    #expect(try RuleEvaluation(query: spelled).read("query.orderByValue && query.equalTo == 1") == .yes)
    let open = Query(order: .value, start: .after(.int(1)), end: .init(value: .int(1)))
    #expect(try RuleEvaluation(query: open).read("query.equalTo == null && query.startAt == 1") == .yes)
    let range = Query(order: .value, start: .init(value: .int(1)), end: .init(value: .int(2)))
    #expect(
      try RuleEvaluation(query: range).read("query.orderByValue && query.equalTo == null && query.endAt == 2") == .yes)
    #expect(try RuleEvaluation(query: range).read("(data.exists() ? query : query).startAt == 1") == .yes)
    let text = Query(
      order: .child(Path("k")), start: .init(value: .string("Ann|1")), end: .init(value: .string("Ann|1")))
    #expect(
      try RuleEvaluation(query: text).read("query.equalTo.toLowerCase() == 'ann|1' && query.equalTo.length == 5")
        == .yes)
    #expect(
      try RuleEvaluation(query: text).read("query.equalTo != null && query.equalTo.beginsWith('Ann' + '|')") == .yes)
    #expect(try RuleEvaluation(query: range).read("query.startAt.contains('a') || query.endAt.matches(/a/)") == .error)
    #expect(try RuleEvaluation().read("query.equalTo.beginsWith('a')") == .error)
    #expect(try RuleEvaluation().write("query.limitToFirst == null && !query.orderByKey") == .yes)
  }

  @Test("A rule that would run too long, or build too long a string, is an error")
  func bounds() throws {
    let big = "\"" + String(repeating: "a", count: 3_000_000) + "\""
    let sum = Array(repeating: "newData.val()", count: 4).joined(separator: " + ")
    #expect(try RuleEvaluation(written: big).write("\(sum) == ''") == .error)
    #expect(try RuleEvaluation(written: big).write("newData.val().replace('', newData.val()) == ''") == .error)
    let many = Array(repeating: "newData.val() + 'x' == ''", count: 100).joined(separator: " || ")
    #expect(try RuleEvaluation(written: big).write(many) == .error)
    #expect(try RuleEvaluation(written: big).write("newData.val().length == 3000000") == .yes)
  }
}
