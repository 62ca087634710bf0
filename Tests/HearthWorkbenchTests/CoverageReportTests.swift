import HearthRules
import HearthTree
import HearthWorkbench
import Testing

@Suite struct CoverageReportTests {
  private static let rules = """
    {
      "rules": {
        // <script>alert('&')</script>
        "a": { ".read": "auth != null && (auth.uid == 'x' || data.val() == 1)", ".write": true },
        "b": { ".read": "auth.uid == 'é' &&
          now > 5" }
      }
    }
    """

  private func report(_ cases: String, rules: String = rules, file: String = "rules.json") throws -> CoverageReport {
    let counting = try RuleSet.compile(rules, keepsExpressions: true).counted
    let test = try TestFileTexts.read("users: {x: {uid: x}, y: {uid: y}}\ndata: {a: 1}\ncases:\n" + cases)
    _ = RulesTestRun.run(test, rules: counting)
    return CoverageReport([(file, try #require(counting.coverage))])
  }

  @Test("outcomes of conditions are counted, constants are not")
  func tally() throws {
    let none = try report("  []").tally
    // /a: the whole, auth != null, the group in parentheses, and its two operands; /b: the whole and its two operands.
    #expect(none.totalCount == 16 && none.seenCount == 0 && none.percent == 0)
    #expect(try report("  - {as: x, read: /a, expect: allow}").tally.seenCount == 4)
    #expect(try report("  - {as: y, read: /a, expect: allow}\n  - {read: /a, expect: deny}").tally.seenCount == 7)
    #expect(try report("  []", rules: #"{"rules": {".read": true}}"#).tally.percent == 100)
  }

  @Test("uncovered expressions are underlined, each line of a rule separately")
  func text() throws {
    let text = try report("  - {as: x, read: /a, expect: allow}\n  - {as: x, read: /b, expect: deny}")
      .text(TerminalStyle(isColored: false))
    #expect(
      text == """

        rules.json  37 % of conditions, 6 of 16 outcomes

          4:22 .read at /a  40 %
            "a": { ".read": "auth != null && (auth.uid == 'x' || data.val() == 1)", ".write": true },
                             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ never false
                             ~~~~~~~~~~~~ never false
                                             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ never false
                                              ~~~~~~~~~~~~~~~ never false
                                                                 ~~~~~~~~~~~~~~~ never evaluated

          5:22 .read at /b  33 %
            "b": { ".read": "auth.uid == 'é' &&
                             ~~~~~~~~~~~~~~~~~~ never true
                             ~~~~~~~~~~~~~~~ never true
            now > 5" }
            ~~~~~~~ never evaluated

        """)
  }

  @Test("LCOV: rules are functions, outcomes are branches")
  func lcov() throws {
    let lines = try report("  - {as: x, read: /a, expect: allow}\n  - {as: x, read: /b, expect: deny}").lcov
      .split(separator: "\n").map(String.init)
    #expect(lines.first == "TN:" && lines[1] == "SF:rules.json" && lines.last == "end_of_record")
    for line in ["FN:4,.read at /a", "FNDA:1,.read at /a", "FNDA:0,.write at /a", "FNF:3", "FNH:2"] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(lines.filter { $0.hasPrefix("BRDA:4,") }.count == 10)
    #expect(lines.contains("BRDA:6,2,0,-") && lines.contains("BRF:16") && lines.contains("BRH:6"))
    #expect(lines.contains("DA:4,1") && lines.contains("DA:6,0"))
  }

  @Test("the report escapes texts of files and rules, and its elements are nested correctly")
  func html() throws {
    let report = try report("  - {as: x, read: /a, expect: allow}", file: "<img src=x>.json")
    let html = report.html
    #expect(!html.contains("<script") && !html.contains("<img"))
    #expect(html.contains("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"))
    #expect(html.contains(#"<span class="half" title="true 1×, false 0×, error 0×: never false">auth != null</span>"#))
    #expect(
      html.contains(#"<span class="none" title="true 0×, false 0×, error 0×: never evaluated">data.val() == 1</span>"#))
    var open = 0
    for tag in html.matches(of: /<(\/?)span/) {
      open += tag.output.1.isEmpty ? 1 : -1
      #expect(open >= 0)
    }
    #expect(open == 0)
    // The text itself is complete.
    let source = try #require(html.firstRange(of: "</pre><pre>"))
    let pre = html[source.upperBound...].prefix { $0 != "\u{0}" }
    let end = try #require(pre.firstRange(of: "</pre>"))
    let plain = String(pre[..<end.lowerBound]).replacing(/<em[^>]*>[^<]*<\/em>/, with: "").replacing(
      /<[^>]*>/, with: ""
    )
    .replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
    .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    #expect(plain == Self.rules)
  }
}
