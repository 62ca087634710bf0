import HearthTree
import Testing

@testable import HearthRules

@Suite("Coverage of rules")
struct CoverageTests {
  private static let file = """
    { "rules": {
      ".read": false,
      "a": { ".read": "auth != null && data.exists()" },
      "$b": { ".read": "$b == 'x'" } } }
    """

  private func read(_ rules: RuleSet, _ path: String, auth: JSON?) {
    _ = rules.decideRead(ReadRequest(path: Path(path), root: .empty, auth: auth, nowMilliseconds: RulesFixtures.now))
  }

  @Test("Rules are listed in file order, with the counts of each part's results")
  func counts() throws {
    let rules = try RuleSet.compile(Self.file, keepsExpressions: true)
    let coverage = RulesCoverage(of: rules)
    let counting = rules.counting(into: coverage)
    read(counting, "a", auth: RulesFixtures.alice)
    read(counting, "a", auth: nil)
    read(counting, "a", auth: nil)
    let report = coverage.report()
    #expect(report.map(\.rule.pathTemplate) == ["/", "/a", "/$b"])
    #expect(report.map(\.expression.counts.total) == [3, 3, 0])
    #expect(report.map(\.expression.isCondition) == [false, true, true])
    let all = report[1].expression
    #expect((all.counts.trueCount, all.counts.falseCount) == (0, 3))
    #expect((all.operands[0].counts.trueCount, all.operands[0].counts.falseCount) == (1, 2))
    #expect((all.operands[1].counts.trueCount, all.operands[1].counts.falseCount) == (0, 1))
    #expect(all.operands[0].operands[0].counts.nullCount == 2)
    #expect("\(all.operands[1].line):\(all.operands[1].column)-\(all.operands[1].endColumn)" == "3:36-49")
  }

  @Test("Counts of the same rules are added, and counts of other rules are ignored")
  func sums() async throws {
    let rules = try RuleSet.compile(Self.file, keepsExpressions: true)
    let (one, two) = (RulesCoverage(of: rules), RulesCoverage(of: rules))
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        let counting = rules.counting(into: index % 2 == 0 ? one : two)
        group.addTask { for _ in 0..<100 { read(counting, "b", auth: nil) } }
      }
    }
    one.add(two)
    #expect(one.report().map(\.expression.counts.total) == [800, 0, 800])
    let other = try RuleSet.compile(Self.file, keepsExpressions: true)
    read(other.counting(into: one), "b", auth: nil)
    #expect(one.report().map(\.expression.counts.total) == [800, 0, 800])
    one.reset()
    #expect(one.report().map(\.expression.counts.total) == [0, 0, 0])
  }
}
