import HearthTree
import RandomTestKit
import Testing

@testable import HearthRules

@Suite("Random rules")
struct FuzzTests {
  private let path = Path("a/b")

  private func file(_ kind: RuleKind, _ expression: String) -> String {
    "{\"rules\":{\"a\":{\"$k\":{\".\(kind.rawValue)\":\(RulesFixtures.text(.string(expression)))}}}}"
  }

  @Test("The compiled evaluator agrees with a simple one on random rules and data")
  func agreesWithReference() throws {
    var counts: [Outcome: Int] = [:]
    for seed in 0..<1500 as Range<UInt64> {
      var random = RandomRules(generator: SeededRandom(seed: seed))
      let text = random.expression()
      let (old, new, auth) = (random.tree(), random.tree(), random.auth())
      let rules = try RuleSet.compile(file(.write, text))
      let decision = rules.decideWrite(
        WriteRequest(
          oldRoot: old, newRoot: new, locations: [Location(path: path)], auth: auth, nowMilliseconds: RulesFixtures.now),
        detail: .trace)
      let reference = ReferenceEvaluator(
        old: old, new: new, path: path.keys, auth: auth ?? .null, now: Double(RulesFixtures.now))
      let expected = reference.outcome(try Parser.parse(text))
      #expect(outcome(decision) == expected, "seed \(seed): \(text)")
      counts[expected, default: 0] += 1
    }
    // The generator must produce all outcomes.
    for outcome in [Outcome.yes, .no, .error] { #expect(counts[outcome, default: 0] > 100, "\(outcome)") }
  }

  private func outcome(_ decision: Decision) -> Outcome {
    guard case .value(let value) = decision.visited.first?.result else { return .error }
    return value ? .yes : .no
  }

  @Test("While no dependency of a read changes, its decision does not change either")
  func dependenciesAreComplete() throws {
    var (unaffected, changed) = (0, 0)
    for seed in 0..<600 as Range<UInt64> {
      var random = RandomRules(generator: SeededRandom(seed: seed), hasNewData: false)
      let text = random.expression()
      let rules = try RuleSet.compile(file(.read, text))
      let auth = random.auth()
      var root = random.tree()
      var request = ReadRequest(path: path, root: root, auth: auth, nowMilliseconds: RulesFixtures.now)
      for _ in 0..<6 {
        let decision = rules.decideRead(request, detail: [.dependencies, .trace])
        #expect(outcome(decision) == outcome(rules.decideRead(request, detail: .trace)), "seed \(seed): \(text)")
        let dependencies = try #require(decision.dependencies)
        if !dependencies.usesAuth {
          request.auth = random.auth()
          #expect(outcome(rules.decideRead(request, detail: .trace)) == outcome(decision), "seed \(seed): \(text)")
          request.auth = auth
        }
        if !dependencies.usesClock {
          request.nowMilliseconds = 1
          #expect(outcome(rules.decideRead(request, detail: .trace)) == outcome(decision), "seed \(seed): \(text)")
          request.nowMilliseconds = RulesFixtures.now
        }
        let next = root.replacing(
          Path(random.generator.pick(["a", "a/b", "a/b/c", "b", "c/a", ""])), with: random.tree(2))
        request.root = next
        let later = rules.decideRead(request, detail: .trace)
        if outcome(later) != outcome(decision) {
          changed += 1
          #expect(dependencies.isAffected(from: root, to: next), "seed \(seed): \(text)")
        }
        if !dependencies.isAffected(from: root, to: next) { unaffected += 1 }
        root = next
      }
    }
    #expect(unaffected > 300)
    #expect(changed > 50)
  }

  @Test("Damaged rules files are accepted, or refused with a place inside them")
  func mutatedFiles() {
    let pieces = [
      "\"", "\\", "{", "}", "[", "]", ",", ":", "/*", "*/", "//", "\n", "$", ".read", "\u{0}", "😀", "\\u", "\\ud83d",
      "(", ")", "'", "/", "^", "*", "{9999}", "==", "&&", "?", "newData", "matches(/", "/i)", "1e", "0x", "auth[",
    ]
    for seed in 0..<1500 as Range<UInt64> {
      var random = RandomRules(generator: SeededRandom(seed: seed))
      var scalars = Array(sample(random.expression()).unicodeScalars)
      for _ in 0...random.generator.below(4) {
        let at = random.generator.below(scalars.count)
        let end = min(scalars.count, at + random.generator.below(8))
        switch random.generator.below(4) {
        case 0: scalars.removeSubrange(at..<end)
        case 1: scalars.insert(contentsOf: random.generator.pick(pieces).unicodeScalars, at: at)
        case 2: scalars.insert(contentsOf: scalars[at..<end], at: at)
        default: scalars = Array(scalars.prefix(max(1, at)))
        }
        if scalars.isEmpty { scalars = ["{"] }
      }
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars)
      expectOrderly(text, seed: seed)
    }
  }

  private func sample(_ expression: String) -> String {
    """
    { // rules
      "rules": { ".read": \(RulesFixtures.text(.string(expression))), /* all */ "a": { "$x": {
        ".validate": "newData.val().matches(/^[a-z\\\\d]{1,3}(x|y)*$/i) && $x != 'é'", ".indexOn": ["b", ".value",],
      } } }
    }
    """
  }

  private func expectOrderly(_ text: String, seed: UInt64) {
    do {
      let rules = try RuleSet.compile(text)
      #expect(throws: Never.self, "seed \(seed)") {
        try RuleSet.compile(String(decoding: rules.strictJSON, as: UTF8.self))
      }
    } catch {
      let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
      for diagnostic in error.diagnostics {
        #expect((1...lines).contains(diagnostic.line), "seed \(seed)")
        #expect((1...(diagnostic.sourceLine.utf16.count + 2)).contains(diagnostic.column), "seed \(seed)")
        #expect(!diagnostic.message.isEmpty)
      }
      #expect(!error.diagnostics.isEmpty)
      #expect(!error.rendered(file: "f").isEmpty)
    }
  }

  @Test("Random symbols in place of an expression cause no crash")
  func randomExpressions() {
    let words =
      Mark.allCases.map(\.rawValue) + ["auth", "data", "'a'", "1", "null", "true", " ", ".val()", "[0]", "/a/"]
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      let text = (0..<generator.below(16)).map { _ in generator.pick(words) }.joined()
      _ = RulesFixtures.refusal(text, below: ["$k"])
    }
  }

  @Test("Random patterns are compiled or refused, and match correctly in linear time")
  func randomPatterns() {
    let words = [
      "a", "b", ".", "(", ")", "[", "]", "^", "$", "|", "*", "+", "?", "{2}", "{1,3}", "{0,}", "\\d", "\\w", "\\\\",
      "-",
      "😀", "é", "\\$", "{", "}", "^[", "[^", "1001", ",",
    ]
    for seed in 0..<3000 as Range<UInt64> {
      var generator = SeededRandom(seed: seed)
      let pattern = (0..<1 + generator.below(10)).map { _ in generator.pick(words) }.joined()
      var stepsLeft = RulesLimits.regexAnalysisStepsMax
      let compiled = try? LinearRegex(pattern, ignoresCase: seed % 2 == 0, analysisStepsLeft: &stepsLeft)
      guard let regex = compiled else { continue }
      for text in ["", "a", "ab😀", "aaabbb11--é"] { _ = regex.matches(text) }
    }
  }
}
