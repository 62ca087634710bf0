import Foundation
import HearthRules
import HearthTree
import HearthWorkbench
import Testing

@Suite struct LintTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func findings(_ text: String, tests: String? = nil) throws -> [LintFinding] {
    let files = try tests.map { [try TestFileTexts.read($0)] } ?? []
    return Lint.findings(
      in: try RuleSet.compile(text, keepsExpressions: true), file: "rules.json", tests: files)
  }

  private static func file(_ inside: String) -> String { #"{"rules": {"# + inside + "}}" }

  @Test("probable mistakes are found at their place", arguments: LintSample.all)
  func findings(sample: LintSample) throws {
    let text = Self.file(sample.found)
    let all = try Self.findings(text)
    let found = all.filter { $0.code == sample.code }
    try #require(found.count == 1, "\(all.map(\.rendered).joined())")
    let at = try #require(text.range(of: sample.at, options: sample.at == "false" ? .backwards : []))
    #expect(found[0].diagnostic.column == text.distance(from: text.startIndex, to: at.lowerBound) + 1, "\(text)")
    #expect(found[0].diagnostic.line == 1)
    #expect(found[0].diagnostic.sourceLine == text)
  }

  @Test("correct rules that resemble mistakes are not reported", arguments: LintSample.all)
  func silence(sample: LintSample) throws {
    let found = try Self.findings(Self.file(sample.silent)).filter { $0.code == sample.code }
    #expect(found.isEmpty, "\(found.map(\.rendered).joined())")
  }

  @Test("every code has a sample")
  func samples() {
    let sampled = Set(LintSample.all.map(\.code)).union([.missingIndex])
    #expect(sampled == Set(LintCode.allCases))
  }

  @Test("queries that no index serves are reported once for each location and order")
  func queries() throws {
    let rules = Self.file(
      #""rooms": {".read": true, ".indexOn": "at", "$r": {"m": {".indexOn": [".value", "a/b"]}}}"#)
    let tests = """
      cases:
        - {read: /rooms, query: {orderByChild: at}, expect: allow}
        - {read: /rooms, query: {orderByKey: true}, expect: allow}
        - {read: /rooms, query: {orderByChild: name}, expect: allow}
        - {read: /rooms, query: {orderByChild: name, limitToFirst: 1}, expect: allow}
        - {read: /rooms/r1/m, query: {orderByChild: a/b}, expect: allow}
        - {read: /rooms/r2/m, query: {orderByValue: true}, expect: allow}
        - {read: /rooms/r2, query: {orderByValue: true}, expect: allow}
        - {read: /elsewhere, query: {orderByChild: at}, expect: deny}
      """
    let found = try Self.findings(rules, tests: tests)
    #expect(found.map(\.code) == [.missingIndex, .missingIndex])
    #expect(found.map(\.path) == ["/rooms", "/rooms/r2"])
    #expect(found.map(\.diagnostic.line) == [4, 8])
    #expect(found.map(\.file) == ["tests.yaml", "tests.yaml"])
  }

  @Test("the rules in the guides and examples have no warnings")
  func examples() throws {
    let folder = Self.root.appending(path: "Rules")
    let examples = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Examples").path)
    #expect(examples.count == 8)
    for file in examples.map({ "Examples/\($0)/rules.json" }) + ["starter.json", "locked.json"] {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let warnings = try Self.findings(text).filter { $0.code.severity == .warning }
      #expect(warnings.isEmpty, "\(file): \(warnings.map(\.rendered).joined())")
    }
  }

  @Test("the guide names each code with its severity, and no other")
  func guide() throws {
    let guide = try String(
      contentsOf: Self.root.appending(path: "Sources/Guide/LintingRules.md"), encoding: .utf8)
    let rows = guide.matches(of: /\| `([a-z-]+)` \| (warning|info) \|/).map { "\($0.output.1) \($0.output.2)" }
    #expect(rows == LintCode.allCases.map { "\($0.rawValue) \($0.severity.rawValue)" })
  }

  @Test("the JSON report, and the report for GitHub workflows")
  func reports() throws {
    let findings = try Self.findings(Self.file(#"".read": true"#))
    let report = LintReport(findings: findings)
    let style = TerminalStyle(isColored: false)
    let help = LintCode.openRoot.help
    #expect(
      report.rendered(as: .json, style: style)
        == #"{"findings":[{"code":"open-root","severity":"warning","path":"/","kind":"read","file":"rules.json","line":1,"column":21,"message":"Everyone can read the whole database.","help":"\#(help)"}]}"#
        + "\n")
    #expect(
      report.rendered(as: .github, style: style).hasPrefix(
        "::warning file=rules.json,line=1,col=21,title=open-root::Everyone can read the whole database.%0A"))
    #expect(report.rendered(as: .text, style: style).hasSuffix("\n1 warning, 0 infos\n"))
  }

  @Test("hostile files: many rules, long conditions, and names with terminal control codes")
  func hostileFiles() throws {
    let many = (0..<3000).map { #""k\#($0)": {".read": "now < 5 || auth.email == null"}"# }.joined(separator: ",")
    #expect(try Self.findings(Self.file(many)).count == WorkbenchLimits.findingsMax)
    let long = (0..<3000).map { "auth.token.a\($0) == \($0)" }.joined(separator: " || ")
    _ = try Self.findings(Self.file(#"".read": "\#(long)", "a": {".read": "\#(long)"}"#))
    let deep = String(repeating: "!(", count: 44) + "auth.uid == 5" + String(repeating: ")", count: 44)
    #expect(try Self.findings(Self.file(#""a": {".read": "\#(deep)"}"#)).map(\.code) == [.typeMismatch])
    let steering = try Self.findings(Self.file(#""a\u001bc": {".read": true, "b": {".read": true}}"#))
    #expect(steering.first?.path == "/a?c/b")
  }

  @Test("the SARIF log names each kind of finding and each place")
  func sarif() throws {
    let text =
      "{\n  \"rules\": {\n    \".read\": true,\n    \"a\": {\".read\": false, \".write\": \"auth != null\"}\n  }\n}"
    var report = LintReport(findings: try Self.findings(text))
    func log() throws -> JSON {
      try #require(JSON(parsing: report.rendered(as: .sarif, style: TerminalStyle(isColored: false)).utf8))
    }
    let run = try #require(try log()["runs"]?.array?.first)
    #expect(try log()["version"]?.string == "2.1.0")
    let rules = try #require(run["tool"]?["driver"]?["rules"]?.array)
    #expect(rules.compactMap { $0["id"]?.string } == LintCode.allCases.map(\.rawValue))
    let results = try #require(run["results"]?.array)
    #expect(results.count == report.findings.count && results.count >= 3)
    for (result, finding) in zip(results, report.findings) {
      #expect(result["ruleId"]?.string == finding.code.rawValue)
      #expect(rules[Int(try #require(result["ruleIndex"]?.int))]["id"] == result["ruleId"])
      #expect(result["level"]?.string == (finding.code.severity == .warning ? "warning" : "note"))
      let place = result["locations"]?.array?.first?["physicalLocation"]
      #expect(place?["artifactLocation"]?["uri"]?.string == "rules.json")
      #expect(place?["region"]?["startLine"]?.int == Int64(finding.diagnostic.line))
      #expect(place?["region"]?["startColumn"]?.int == Int64(finding.diagnostic.column))
    }
    let prints = results.compactMap { $0["partialFingerprints"]?["place/v1"]?.string }
    #expect(Set(prints).count == results.count)
    #expect(run["invocations"]?.array?.first?["executionSuccessful"]?.bool == true)
    report = LintReport(problems: [.init(file: "my tests.yaml", message: "It is broken.")])
    let broken = try #require(try log()["runs"]?.array?.first?["invocations"]?.array?.first)
    #expect(broken["executionSuccessful"]?.bool == false)
    let notice = try #require(broken["toolExecutionNotifications"]?.array?.first)
    #expect(notice["message"]?["text"]?.string == "It is broken.")
    let place = notice["locations"]?.array?.first?["physicalLocation"]
    #expect(place?["artifactLocation"]?["uri"]?.string == "my%20tests.yaml")
  }
}
