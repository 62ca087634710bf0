import HearthTree
import RandomTestKit
import Testing

@testable import HearthRules

@Suite("Traces")
struct TraceTests {
  private func rules(_ text: String) throws -> RuleSet { try RuleSet.compile(text, keepsExpressions: true) }

  private func read(
    _ rules: RuleSet, _ path: String, _ data: String = "null", auth: JSON? = RulesFixtures.alice
  ) throws -> Decision {
    rules.decideRead(
      ReadRequest(path: Path(path), root: try RulesFixtures.node(data), auth: auth, nowMilliseconds: RulesFixtures.now),
      detail: .trace)
  }

  /// Returns the parts of an expression with their values, as `text = value`, or `text -` for parts that were not
  /// evaluated.
  private func parts(_ expression: TracedExpression?) -> [String] {
    guard let expression else { return [] }
    let shown: String =
      switch expression.result {
      case .notReached: "\(expression.text) -"
      case .value(let value): "\(expression.text) = \(value)"
      case .error(let code): "\(expression.text) ! \(code.rawValue)"
      }
    return [shown] + expression.operands.flatMap { parts($0) }
  }

  @Test("Every part has its value, and unevaluated parts are marked")
  func values() throws {
    let rules = try rules(
      RulesFixtures.file(.read, "auth.uid == 'bob' || root.child('m/' + auth.uid).val() > 2 && data.exists()"))
    let decision = try read(rules, "p", #"{"m":{"alice":2}}"#)
    let visit = try #require(decision.visited.first)
    #expect(
      parts(visit.expression) == [
        "auth.uid == 'bob' || root.child('m/' + auth.uid).val() > 2 && data.exists() = false",
        "auth.uid == 'bob' = false", #"auth.uid = "alice""#,
        #"auth = {"uid":"alice","provider":"anonymous","token":{"firebase":{"sign_in_provider":"anonymous"}}}"#,
        #"'bob' = "bob""#, "root.child('m/' + auth.uid).val() > 2 && data.exists() = false",
        "root.child('m/' + auth.uid).val() > 2 = false", "root.child('m/' + auth.uid).val() = 2",
        "root.child('m/' + auth.uid) = /m/alice: 2", "root = /: {…}", #"'m/' + auth.uid = "m/alice""#,
        #"'m/' = "m/""#, #"auth.uid = "alice""#,
        #"auth = {"uid":"alice","provider":"anonymous","token":{"firebase":{"sign_in_provider":"anonymous"}}}"#,
        "2 = 2",
        "data.exists() -", "data -",
      ])
    #expect(visit.reads.map { "\($0.path) \($0.aspect) \($0.value)" } == ["/m/alice value 2"])
  }

  @Test(
    "The part that decided is found",
    arguments: [
      ("auth != null && (auth.uid == 'bob' && true)", "auth.uid == 'bob'"),
      ("auth == null || auth.uid == 'alice'", "auth.uid == 'alice'"),
      ("!(auth != null && auth.uid == 'alice')", "(auth != null && auth.uid == 'alice')"),
      ("auth == null ? true : auth.uid == 'bob'", "auth.uid == 'bob'"),
      ("auth == null ? true : false", "auth == null"),
      ("auth.uid == 'bob' || auth.uid == 'eve'", "auth.uid == 'bob' || auth.uid == 'eve'"),
      ("true && root.child('a/' + auth.none).exists()", "'a/' + auth.none"),
      ("data.parent().parent().exists()", "data.parent().parent()"),
      ("(true || data.exists()) && 1 + 1 == 3", "1 + 1 == 3"),
    ])
  func decisive(expression: String, part: String) throws {
    let decision = try read(try rules(RulesFixtures.file(.read, expression)), "p")
    #expect(decision.visited.first?.decisive?.text == part)
  }

  @Test("Constants that the compiler computed are shown in traces")
  func constants() throws {
    let decision = try read(try rules(RulesFixtures.file(.read, "('a' + 'b').length == 2 && (true || 1 < 'x')")), "p")
    #expect(
      parts(decision.visited.first?.expression) == [
        "('a' + 'b').length == 2 && (true || 1 < 'x') = true", "('a' + 'b').length == 2 = true",
        "('a' + 'b').length = 2", #"('a' + 'b') = "ab""#, #"'a' = "a""#, #"'b' = "b""#, "2 = 2",
        "(true || 1 < 'x') = true", "true = true", "1 < 'x' -", "1 -", "'x' -",
      ])
  }

  @Test("Lines and columns are those of the rules file, also after escapes and line breaks")
  func positions() throws {
    let rules = try rules("{\"rules\":{\n  \".read\": \"'\\u00e9\\\"' == 'x' ||\n    auth.uid == 'é'\"}}")
    let expression = try #require(try read(rules, "").visited.first?.expression)
    #expect(expression.operands.map { "\($0.line):\($0.column)" } == ["2:13", "3:5"])
    #expect(expression.operands[0].operands.map { "\($0.line):\($0.column)" } == ["2:13", "2:27"])
  }

  @Test("A trace of a large write is bounded and includes the rule that refused")
  func bounded() throws {
    let rules = try rules(
      #"{"rules":{".write":true,"$k":{".validate":"newData.val() != 7 && newData.isNumber()"}}}"#)
    var root = Node.empty
    for index in 0..<3000 {
      root = root.replacing(Path("k\(String(10_000 + index))"), with: Node(.int(index == 2900 ? 7 : 1)))
    }
    let decision = rules.decideWrite(
      WriteRequest(
        oldRoot: .empty, newRoot: root, locations: [Location(path: .root)], auth: nil,
        nowMilliseconds: RulesFixtures.now),
      detail: .trace)
    #expect(!decision.isAllowed)
    #expect(decision.visited.count == RulesLimits.traceRulesMax)
    #expect(decision.trace?.omittedCount == 2902 - RulesLimits.traceRulesMax)
    #expect(decision.visited.last?.decisive?.text == "newData.val() != 7")
    let long = try read(
      try self.rules(RulesFixtures.file(.read, "root.child('t').val() == 'x'")), "p",
      "{\"t\":\"\(String(repeating: "é", count: 5000))\"}")
    #expect(long.visited.first?.reads.first?.value == .text(String(repeating: "é", count: 100), sizeBytes: 10_000))
  }

  @Test("The value of each part of random rules agrees with a simple evaluator")
  func agreesWithReference() throws {
    try RandomTraces.check(seeds: 0..<300)
  }
}

/// Random rules, evaluated with a trace and with coverage counts.
enum RandomTraces {
  static let path = Path("a/b")

  /// Decides each seed's rule on several trees: plainly, with a trace and with coverage counts. Compares the three with
  /// each other and with the simple evaluator.
  static func check(seeds: Range<UInt64>) throws {
    for seed in seeds {
      var random = RandomRules(generator: SeededRandom(seed: seed))
      let text = random.expression()
      let file = "{\"rules\":{\"a\":{\"$k\":{\".write\":\(RulesFixtures.text(.string(text)))}}}}"
      let plain = try RuleSet.compile(file)
      let rules = try RuleSet.compile(file, keepsExpressions: true)
      let coverage = RulesCoverage(of: rules)
      let counted = rules.counting(into: coverage)
      var expected: [Range<Int>: [String: UInt64]] = [:]
      for _ in 0..<3 {
        let request = WriteRequest(
          oldRoot: random.tree(), newRoot: random.tree(), locations: [Location(path: path)], auth: random.auth(),
          nowMilliseconds: RulesFixtures.now)
        let decision = plain.decideWrite(request)
        let traced = rules.decideWrite(request, detail: .trace)
        #expect(traced.outcome == decision.outcome && traced.error == decision.error, "seed \(seed): \(text)")
        #expect(counted.decideWrite(request).outcome == decision.outcome, "seed \(seed): \(text)")
        guard let expression = traced.visited.first?.expression else { continue }
        let reference = ReferenceEvaluator(
          old: request.oldRoot, new: request.newRoot, path: path.keys, auth: request.auth ?? .null,
          now: Double(RulesFixtures.now))
        try compare(expression, text, reference, &expected, "seed \(seed)")
      }
      let report = try #require(coverage.report().first)
      compare(report.expression, expected, "seed \(seed): \(text)")
    }
  }

  private static func compare(
    _ part: TracedExpression, _ rule: String, _ reference: ReferenceEvaluator,
    _ counts: inout [Range<Int>: [String: UInt64]], _ seed: String
  ) throws {
    let text = String(decoding: Array(rule.utf8)[part.range], as: UTF8.self)
    let expected = try? reference.evaluate(try Parser.parse(text))
    switch part.result {
    case .notReached: break
    case .error:
      #expect(expected == nil, "\(seed): \(text) in \(rule)")
      counts[part.range, default: [:]]["error", default: 0] += 1
    case .value(let value):
      #expect(expected.map { isSame(value, $0) } == true, "\(seed): \(text) is \(value) in \(rule)")
      counts[part.range, default: [:]][outcome(value), default: 0] += 1
    }
    for operand in part.operands {
      if part.result == .notReached { #expect(operand.result == .notReached, "\(seed): \(operand.text) in \(rule)") }
      try compare(operand, rule, reference, &counts, seed)
    }
  }

  private static func outcome(_ value: TracedValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    default: "other"
    }
  }

  private static func isSame(_ value: TracedValue, _ expected: ReferenceEvaluator.ReferenceValue) -> Bool {
    switch (value, expected) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b || a.isNaN && b.isNaN
    case (.text(let a, _), .text(let b)): a == TracedValue.beginning(of: String(decoding: b, as: UTF16.self))
    case (.container, .container), (.claim, .container): true
    case (.snapshot(let path, let isAfter, _), .snapshot(let isNew, let keys)):
      isAfter == isNew && path.keys.map(\.text) == keys.map(\.text)
    default: false
    }
  }

  private static func compare(
    _ part: CoveredExpression, _ expected: [Range<Int>: [String: UInt64]], _ seed: String
  ) {
    let counts = part.counts
    let expected0 = expected[part.range] ?? [:]
    #expect(counts.nullCount == expected0["null"] ?? 0, "\(seed) at \(part.range)")
    #expect(counts.trueCount == expected0["true"] ?? 0, "\(seed) at \(part.range)")
    #expect(counts.falseCount == expected0["false"] ?? 0, "\(seed) at \(part.range)")
    #expect(counts.otherCount == expected0["other"] ?? 0, "\(seed) at \(part.range)")
    #expect(counts.errorCount == expected0["error"] ?? 0, "\(seed) at \(part.range)")
    for operand in part.operands { compare(operand, expected, seed) }
  }
}
