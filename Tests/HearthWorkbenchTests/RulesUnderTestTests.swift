import HearthRulesTesting
import HearthTree
import Testing

@Suite struct RulesUnderTestTests {
  private func rules() throws -> RulesUnderTest {
    try RulesUnderTest(
      source: TestFileTexts.rules, named: "rules.json", data: ["rooms": ["r1": ["members": ["alice": true]]]])
  }

  @Test("allows, denies and performs return the rules' decisions, and only performs changes the data")
  func answers() throws {
    let rules = try rules()
    #expect(rules.allows(.read("/rooms/r1"), as: .user("alice")))
    #expect(rules.denies(.read("/rooms/r1")))
    #expect(rules.denies(.read("/rooms/r1"), as: .user("bob", claims: ["role": "editor"])))
    let message: TestRequest = .write("/rooms/r1/messages/m1", ["text": "hi", "at": .timestamp])
    #expect(rules.allows(message, as: .user("bob")))
    #expect(rules.performs(message, as: .user("bob")))
    #expect(rules.denies(message, as: .user("bob")))
    #expect(rules.performs(.update("/rooms/r1/members", ["bob": true, "alice": nil]), as: .administrator))
    #expect(rules.allows(.read("/rooms/r1"), as: .auth(["uid": "bob"])))
    #expect(rules.denies(.read("/rooms/r1"), as: .user("alice")))
    try rules.setData(nil)
    #expect(rules.denies(.read("/rooms/r1"), as: .user("bob")))
    rules.nowMilliseconds = 5
    #expect(rules.allows(.write("/rooms/r1/messages/m1", ["text": "hi", "at": 5]), as: .user("bob")))
  }

  @Test("a failed expectation shows the trace")
  func failure() throws {
    let rules = try rules()
    withKnownIssue {
      #expect(rules.allows(.read("/rooms/r1"), as: .user("bob")))
    } matching: { issue in
      "\(issue)".contains("rules.json:5:19 .read at /rooms/$room") && "\(issue)".contains("^^^^^")
    }
    #expect(rules.testDescription.contains("read /rooms/r1 is denied"))
    #expect(try rules.verdict(of: .read("/rooms/r1"), as: .user("alice")).explanation.contains("allowed"))
  }

  @Test("an invalid request is reported as an issue, and is neither allowed nor denied")
  func nonsense() throws {
    let rules = try rules()
    for request: TestRequest in [
      .read("/a.b"), .write("/a", ["b#": 1]), .write("/a", [".sv": "now"]), .update("/a", ["b": 1, "b/c": 2]),
      .write("/a/.priority", 5), .write("/a", TestValue(Double.infinity)),
    ] {
      withKnownIssue { #expect(rules.allows(request)) }
      withKnownIssue { #expect(rules.denies(request)) }
    }
    #expect(throws: RulesTestingError.self) { try rules.verdict(of: .read("/a"), as: .user("x", claims: 5)) }
    let error = #expect(throws: RulesTestingError.self) { try RulesUnderTest(source: #"{"rules": {".read": "tr"}}"#) }
    #expect(error?.description.hasPrefix("rules:1:22: error: Unknown variable 'tr'.") == true)
    #expect(throws: RulesTestingError.self) { try RulesUnderTest(file: "/nowhere/rules.json") }
    #expect(throws: RulesTestingError.self) { try RulesUnderTest(source: #"{"rules": {}}"#, data: ["a.b": 1]) }
  }
}
