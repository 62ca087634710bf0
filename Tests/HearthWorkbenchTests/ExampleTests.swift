import Foundation
import HearthRules
import HearthTree
import HearthWorkbench
import Testing

/// Tests that the examples in `Rules/` pass their own tests, with full coverage.
@Suite struct ExampleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Rules")

  static let names = [
    "chat-rooms", "invite-codes", "owner-only", "presence", "public-read-with-moderation", "rate-limit", "role-claims",
    "validated-form",
  ]

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: path), encoding: .utf8)
  }

  @Test("every example in the folder is tested")
  func examples() throws {
    let found = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: "Examples").path)
    #expect(found.sorted() == Self.names)
  }

  @Test("every case of an example passes, and every outcome is covered", arguments: names)
  func passes(name: String) throws {
    let rules = try RuleSet.compile(try text("Examples/\(name)/rules.json"), keepsExpressions: true).counted
    #expect(rules.warnings.isEmpty)
    let file = (try? text("Examples/\(name)/tests.yaml")).map { ("tests.yaml", $0) }
    let (testName, source) = try file ?? ("tests.json", text("Examples/\(name)/tests.json"))
    let test = try RulesTestReader.read(DocumentText(file: testName, text: source))
    #expect(test.rules?.path == "rules.json")
    #expect(source.contains("../../rules-test.schema.json"))
    for result in RulesTestRun.run(test, rules: rules) {
      #expect(result.failure == nil, "\(name): \(result.testCase.name)")
    }
    let report = CoverageReport([("rules.json", try #require(rules.coverage))])
    #expect(report.tally.percent == 100, "\(report.text(TerminalStyle(isColored: false)))")
  }

  @Test("the locked rules and the starter rules have no errors", arguments: ["locked.json", "starter.json"])
  func checks(name: String) throws {
    #expect(try RuleSet.compile(try text(name)).warnings.isEmpty)
  }

  @Test("the JSON schema for editors has the members that the parser knows")
  func schema() throws {
    let schema = try #require(JSON(parsing: try text("rules-test.schema.json").utf8))
    func names(_ json: JSON?) -> Set<String> { Set(json?["properties"]?.members?.map(\.name) ?? []) }
    /// Returns the names that the parser lists in its error for an unknown one.
    func known(_ text: String) -> Set<String> {
      do {
        _ = try TestFileTexts.read(text)
        return []
      } catch let problem as DocumentProblem {
        let help = problem.diagnostic.help ?? ""
        return Set(help.replacing("The members are ", with: "").dropLast().split(separator: ", ").map(String.init))
      } catch {
        return []
      }
    }
    let definitions = schema["definitions"]
    #expect(names(schema) == known("unheardof: 1\ncases: []"))
    #expect(names(definitions?["query"]) == known("cases: [{read: /, query: {unheardof: 1}}]"))
    let user = definitions?["user"]?["oneOf"]?.array ?? []
    #expect(user.reduce(into: []) { $0.formUnion(names($1)) } == known("users: {a: {unheardof: 1}}\ncases: []"))
    let step = names(definitions?["step"]).union(["after"])
    #expect(step == known("cases: [{steps: [{unheardof: 1}]}]"))
    #expect(step.union(names(definitions?["case"])).union(["steps"]) == known("cases: [{unheardof: 1}]"))
  }
}
