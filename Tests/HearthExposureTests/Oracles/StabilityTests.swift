import HearthRules
import RandomTestKit
import Testing

@testable import HearthExposure

/// Tests that the same rules in another form have the same verdicts.
@Suite struct StabilityTests {
  private static let rewrites: [(name: String, isReversed: Bool, rewrite: @Sendable (String) -> String)] = [
    ("keys in another order", true, { $0 }),
    ("wildcards of another name", false, renamed),
    ("double negation", false, { "!(!(\($0)))" }), ("and true", false, { "true && (\($0))" }),
    ("or false", false, { "(\($0)) || false" }), ("a condition", false, { "(\($0)) ? true : false" }),
  ]

  @Test func `a verdict does not depend on how the rules are written`() {
    let results = Torture.forEach("stability", 0..<UInt64(Torture.count(sample: 3, full: 1_000))) { seed in
      var random = RandomRuleSet(generator: SeededRandom(seed: 20_000 + seed))
      return Self.compare(random.draft(), seed: seed)
    }
    let problems = results.flatMap(\.problems)
    let counts = results.reduce((all: 0, undecided: 0)) { ($0.all + $1.count, $0.undecided + $1.undecidedCount) }
    Torture.report("\(counts)")
    for problem in problems.prefix(5) { Issue.record("\(problem)") }
    #expect(problems.isEmpty, "\(problems.count) problems")
    #expect(counts.all > 100)
    #expect(counts.undecided * 50 < counts.all)
  }

  @Test func `a verdict derived from earlier ones agrees with a proof`() {
    let results = Torture.forEach("following", 0..<UInt64(Torture.count(sample: 4, full: 2_000))) { seed in
      var random = RandomRuleSet(generator: SeededRandom(seed: 30_000 + seed))
      let file = random.file()
      var result = Result()
      guard let rules = try? RuleSet.compile(file, keepsExpressions: true) else { return result }
      let exposure = Exposure(
        of: rules, nowMilliseconds: RandomRuleSet.nowMilliseconds, identities: BruteForce.identities)
      let prover = Prover(rules, nowMilliseconds: RandomRuleSet.nowMilliseconds)
      for entry in exposure.entries(updates: seed.isMultiple(of: 2)) {
        result.count += 1
        let proved = prover.verdict(entry.question)?.name ?? "nobody"
        if proved == entry.verdict.name { continue }
        if proved == "undecided" || entry.verdict.name == "undecided" {
          result.undecidedCount += 1
        } else {
          let place = "\(entry.question.location.template) \(entry.question.operation)"
          result.problems.append(
            "seed \(seed): \(place) by \(entry.question.identity.name) is \(entry.verdict.name), proved \(proved)\n\(file)"
          )
        }
      }
      return result
    }
    let problems = results.flatMap(\.problems)
    for problem in problems.prefix(5) { Issue.record("\(problem)") }
    #expect(problems.isEmpty, "\(problems.count) problems")
    #expect(results.reduce(0) { $0 + $1.count } > 100)
    #expect(results.reduce(0) { $0 + $1.undecidedCount } * 50 < results.reduce(0) { $0 + $1.count })
  }

  /// Returns the text of a draft with longer names for its wildcards, except `$key`, which stands for a location
  /// without a wildcard.
  @Sendable private static func renamed(_ text: String) -> String {
    text.replacing(/\$([a-d])(?![A-Za-z0-9_])/) { "$longer_\($0.output.1)" }
  }

  private struct Result: Sendable {
    var count = 0
    /// The number of verdicts that are known for only one of the forms.
    var undecidedCount = 0
    var problems: [String] = []
  }

  private static func compare(_ draft: RuleDraft, seed: UInt64) -> Result {
    var result = Result()
    let plain = verdicts(draft.text())
    for (name, isReversed, rewrite) in rewrites {
      let isRenamed = name.hasPrefix("wildcards")
      var text = draft.text(isReversed: isReversed, rewrite: rewrite)
      if isRenamed { text = text.replacing(/"\$([a-d])":/) { "\"$longer_\($0.output.1)\":" } }
      let other = verdicts(text)
      for (question, verdict) in plain {
        let same = other[isRenamed ? renamed(question) : question] ?? "missing"
        result.count += 1
        if same == verdict { continue }
        if same == "undecided" || verdict == "undecided" {
          result.undecidedCount += 1
        } else {
          result.problems.append("\(name), seed \(seed): \(question) is \(verdict), then \(same)\n\(text)")
        }
      }
    }
    return result
  }

  private static func verdicts(_ file: String) -> [String: String] {
    guard let rules = try? RuleSet.compile(file, keepsExpressions: true) else { return [:] }
    let prover = Prover(rules, nowMilliseconds: RandomRuleSet.nowMilliseconds)
    var found: [String: String] = [:]
    for location in ExposureLocation.all(in: [rules]) {
      for identity in BruteForce.identities {
        for operation in ExposureOperation.allCases {
          let question = ExposureQuestion(location: location, operation: operation, identity: identity)
          guard let verdict = prover.verdict(question) else { continue }
          found["\(location.template) \(operation) by \(identity.name)"] = verdict.name
        }
      }
    }
    return found
  }
}
