import HearthRules
import HearthTree
import HearthWorkbench
import Testing

@Suite struct ReportTests {
  /// Returns a report of three cases, two of which fail, one with a name that would break each format; and of an
  /// invalid file.
  private func report() throws -> RulesTestReport {
    let rules = try RuleSet.compile(TestFileTexts.rules, keepsExpressions: true).counted
    let test = try TestFileTexts.read(
      """
      users: {alice: {uid: alice}, bob: {uid: bob}}
      data: {rooms: {r1: {members: {alice: true}}}}
      cases:
        - {as: alice, read: /rooms/r1, expect: allow}
        - {name: "a <b> & \\"c\\" # 'd'\\n::error::x \\e[31m", as: bob, read: /rooms/r1, expect: allow}
        - {read: /else, expect: deny, rule: /.read}
      """)
    let results = RulesTestRun.run(test, rules: rules)
    let problem = RulesError.Diagnostic(
      line: 2, column: 3, message: "Unknown member '<x>'.", help: "Did you mean 'y'?", sourceLine: "  <x>: 1")
    var report = RulesTestReport(
      files: [.init(test: test, rulesFile: "rules.json", rules: rules, results: results)],
      problems: [.init(file: "b,1:2.yaml", problem)], elapsedMilliseconds: 11.2)
    report.coverage = try CoverageReport([("rules.json", #require(rules.coverage))])
    return report
  }

  private func text(_ format: RulesTestReport.Format) throws -> String {
    try report().rendered(as: format, style: TerminalStyle(isColored: false))
  }

  @Test("text: failures with their trace, and one closing line")
  func people() throws {
    let text = try text(.text)
    #expect(text.hasPrefix("b,1:2.yaml:2:3: error: Unknown member '<x>'.\n  <x>: 1\n  ^\nhelp: Did you mean 'y'?\n"))
    #expect(text.contains("✗ tests.yaml  3 cases, 2 failed\n"))
    #expect(text.contains("expected allow, but the rules deny it\n"))
    #expect(
      text.contains(
        """
                auth != null && data.child('members').child(auth.uid).exists()
                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """))
    #expect(text.contains("expected /.read to decide, but no rule did\n"))
    #expect(text.hasSuffix("2 failed, 1 invalid file, 1 passed, coverage 25 % of conditions, 12 ms\n"))
    #expect(!text.contains("\u{1B}") && !text.contains("\n::error"))
  }

  @Test("JUnit: an element for each case, all text escaped")
  func junit() throws {
    let text = try text(.junit)
    #expect(text.contains(#"<testsuites name="rules" tests="3" failures="2" errors="1" time="0.012">"#))
    #expect(text.contains("name=\"a &lt;b&gt; &amp; &quot;c&quot; # &#39;d&#39;&#10;::error::x \u{FFFD}[31m\""))
    #expect(text.contains(#"<testcase name="alice reads /rooms/r1" classname="tests.yaml"/>"#))
    #expect(text.contains(#"<error message="Unknown member &#39;&lt;x&gt;&#39;.">"#))
    let tags = text.matches(of: /<(\/?)([a-z]+)[^>]*?(\/?)>/)
    var open: [Substring] = []
    for tag in tags where tag.output.3.isEmpty {
      if tag.output.1.isEmpty { open.append(tag.output.2) } else { #expect(open.popLast() == tag.output.2) }
    }
    #expect(open.isEmpty)
  }

  @Test("TAP: a plan, a line for each case, and valid blocks of YAML")
  func tap() throws {
    let lines = try text(.tap).split(separator: "\n").map(String.init)
    #expect(lines.prefix(3) == ["TAP version 14", "1..4", "ok 1 - tests.yaml: alice reads /rooms/r1"])
    #expect(lines[3] == "not ok 2 - tests.yaml: a <b> & \"c\" \\# 'd'\u{FFFD}::error::x \u{FFFD}[31m")
    #expect(lines.filter { $0.hasPrefix("not ok") || $0.hasPrefix("ok") }.count == 4)
    let start = try #require(lines.firstIndex(of: "  ---"))
    let end = try #require(lines.firstIndex(of: "  ..."))
    let block = lines[(start + 1)..<end].map { String($0.dropFirst(2)) }.joined(separator: "\n")
    let value = try LocatedValue.read(DocumentText(file: "block.yaml", text: block))
    guard case .string(let message)? = value["message"]?.form else { throw Unexpected() }
    #expect(message == "expected allow, but the rules deny it")
  }

  struct Unexpected: Error {}

  @Test("GitHub: an annotation for each failure, on one line")
  func github() throws {
    let lines = try text(.github).split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(
      lines[0].hasPrefix("::error file=b%2C1%3A2.yaml,line=2,col=3,title=invalid file::Unknown member '<x>'.%0ADid"))
    #expect(lines[1].hasPrefix("::error file=tests.yaml,line=5,col=5,title=a <b> & \"c\" # 'd'%0A%3A%3Aerror%3A%3Ax"))
    #expect(lines[3] == "2 failed, 1 invalid file, 1 passed, coverage 25 % of conditions, 12 ms")
  }

  @Test("JSON: one object with all results")
  func json() throws {
    let text = try text(.json)
    let object = try #require(JSON(parsing: text.utf8))
    #expect(object["passed"]?.int == 1 && object["failed"]?.int == 2)
    let cases = try #require(object["files"]?.array?.first?["cases"]?.array)
    #expect(cases.map { $0["passed"]?.bool } == [true, false, false])
    #expect(cases[1]["rule"]?.string == "/rooms/$room/.read" && cases[1]["allowed"]?.bool == false)
    #expect(cases[1]["line"]?.int == 5 && cases[1]["trace"]?.array?.isEmpty == false)
    #expect(object["problems"]?.array?.first?["line"]?.int == 2)
    #expect(object["coverage"]?["percent"]?.int == 25)
  }
}
