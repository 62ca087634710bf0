import HearthWorkbench
import Testing

@Suite struct RulesTestReaderTests {
  @Test(
    "errors in a test file are reported with their place",
    arguments: [
      ("[]", "1:1: Expected an object for a test file, found a list."),
      ("caes: []", "1:1: Unknown member 'caes' of a test file."),
      ("now: 1", "1:1: A test file needs cases."),
      ("cases: {}", "1:8: 'cases' must be a list, not an object."),
      ("now: soon\ncases: []", "1:6: 'now' must be milliseconds since 1970, a whole number from 0 to 253402300799999."),
      ("cases:\n  - expect: deny", "2:5: The request is missing."),
      ("cases:\n  - {read: /a, write: /b, expect: deny}", "2:23: 'write' cannot be combined with 'read'."),
      ("cases:\n  - {read: /a}", "2:5: 'expect' must be allow or deny."),
      ("cases:\n  - {read: /a, expect: denied}", "2:24: 'expect' must be allow or deny."),
      ("cases:\n  - {read: /a, exepct: deny}", "2:16: Unknown member 'exepct' of a case."),
      ("cases:\n  - {read: 5, expect: deny}", "2:12: A path must be a string, not a number."),
      ("cases:\n  - {read: /a.b, expect: deny}", "2:12: '/a.b' is not a valid path."),
      ("cases:\n  - {read: /a/.priority, expect: deny}", "2:12: '/a/.priority' is not a valid path."),
      ("cases:\n  - {write: /a, expect: deny}", "2:5: A write needs a value."),
      (
        "cases:\n  - {write: /a, value: {b#: 1}, expect: deny}",
        "2:25: Invalid key (forbidden-character)."
      ),
      ("cases:\n  - {write: /a, value: {.sv: now}, expect: deny}", "2:30: Unknown server value."),
      ("cases:\n  - {update: /a, value: 5, expect: deny}", "2:25: Expected an object."),
      ("cases:\n  - {update: /a, value: {b: 1, b/c: 2}, expect: deny}", "2:32: /b/c lies inside /b."),
      ("cases:\n  - {delete: /a, value: 5, expect: deny}", "2:25: 'value' cannot be combined with 'delete'."),
      ("cases:\n  - {write: /a, value: 1, query: {}, expect: deny}", "2:34: 'query' cannot be combined with 'write'."),
      (
        "cases:\n  - {read: /a, query: {limitToFirst: 0}, expect: deny}",
        "2:38: 'limitToFirst' must be a number of children, a whole number from 1 to 2147483647."
      ),
      (
        "cases:\n  - {read: /a, query: {startAt: 1, startAfter: 2}, expect: deny}",
        "2:48: 'startAfter' cannot be combined with 'startAt'."
      ),
      ("cases:\n  - {read: /a, as: eve, expect: deny}", "2:20: Unknown user 'eve'."),
      ("cases:\n  - {read: /a, as: [], expect: deny}", "2:20: 'as' is an empty list."),
      (
        "cases:\n  - {read: /a, rule: /a/.write, expect: deny}",
        "2:22: '/a/.write' is not a rule that can decide a read."
      ),
      ("cases:\n  - {steps: [], expect: deny}", "2:25: 'expect' cannot be combined with 'steps'."),
      ("cases:\n  - {steps: []}", "2:13: 'steps' must be a list with at least one step."),
      ("cases:\n  - {read: /, after: 5, expect: deny}", "2:22: 'after' is only allowed in a step."),
      ("users: {a: {claims: {}}}\ncases: []", "1:12: A user needs a uid, or auth."),
      ("users: {a: {uid: a, auth: {}}}\ncases: []", "1:18: 'uid' cannot be combined with 'auth'."),
      ("users: {a: {uid: 5}}\ncases: []", "1:18: 'uid' must be a string, not a number."),
      ("data: {a: {.value: 1, b: 2}}\ncases: []", "1:12: A node has both .value and children."),
      ("rules: 5\ncases: []", "1:8: 'rules' must be a string, not a number."),
    ])
  func refusals(text: String, message: String) {
    #expect(TestFileTexts.refusal(text) == message)
  }

  @Test("an error shows its line, a caret and help")
  func rendered() throws {
    do {
      _ = try TestFileTexts.read("cases:\n  - read: /a\n    expct: deny\n")
      Issue.record("not refused")
    } catch let problem as DocumentProblem {
      #expect(
        problem.rendered == """
          tests.yaml:3:5: error: Unknown member 'expct' of a case.
              expct: deny
              ^
          help: Did you mean 'expect'?

          """)
    }
  }

  @Test("a case for several users is one case for each user")
  func severalUsers() throws {
    let file = try TestFileTexts.read(
      """
      users: {a: {uid: a}, b: {uid: b}}
      cases:
        - {name: closed, as: [a, b, null], read: /x, expect: deny}
        - {as: a, read: /x, expect: deny}
      """)
    #expect(file.cases.map(\.name) == ["closed (a)", "closed (b)", "closed (nobody)", "a reads /x"])
  }

  @Test("targaryen's files are read without changes")
  func targaryen() throws {
    let file = try TestFileTexts.read(
      """
      {"root": {"posts": {"p": {".priority": 85, "date": {".sv": "timestamp"}}}},
       "users": {"an author": {"uid": "simplelogin:3"}, "nobody": null},
       "tests": {
         "posts/p": {"canRead": ["an author"], "cannotRead": ["nobody", {"uid": "x"}]},
         "posts/new/date": {"canWrite": [{"auth": "an author", "data": {".sv": "timestamp"}}, "an author"],
                            "cannotWrite": [{"auth": "nobody", "data": 1}]}}}
      """, as: "tests.json")
    #expect(file.rules == nil)
    #expect(
      file.cases.map { "\($0.name) \($0.steps[0].isAllowed)" } == [
        "an author reads /posts/p true", "nobody reads /posts/p false", "x reads /posts/p false",
        "an author writes /posts/new/date true", "an author writes /posts/new/date true",
        "nobody writes /posts/new/date false",
      ])
    #expect(
      TestFileTexts.refusal(#"{"tests": {"a": {"canReed": []}}}"#, as: "t.json")
        == "1:18: Unknown member 'canReed' of the tests of a path.")
    #expect(
      TestFileTexts.refusal(#"{"tests": {"a": {"canRead": ["x"]}}}"#, as: "t.json") == "1:30: Unknown user 'x'.")
  }
}
