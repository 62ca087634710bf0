import HearthRules
import HearthTree
import RandomTestKit
import Testing

@testable import HearthExposure

/// Tests of the induction behind proofs, and of the theory, with single requests.
@Suite struct LawTests {
  private struct Summary {
    var ruleCount = 0
    var errorCount = 0
    var statementCount = 0
    var problems: [String] = []
  }

  @Test func `every outcome of a rule satisfies one of its alternatives, and no alternative of another outcome`() {
    var all = Summary()
    for part in Torture.forEach(
      "laws", 0..<UInt64(Torture.count(sample: 30, full: 20_000)), { Self.check(seed: $0, faults: []) })
    {
      all.ruleCount += part.ruleCount
      all.errorCount += part.errorCount
      all.statementCount += part.statementCount
      all.problems += part.problems
    }
    Torture.report("\(all)")
    for problem in all.problems.prefix(5) { Issue.record("\(problem)") }
    #expect(all.problems.isEmpty, "\(all.problems.count) problems")
    #expect(all.ruleCount > 500)
    #expect(all.errorCount > 50)
    #expect(all.statementCount > 1_000)
  }

  static func problems(seed: UInt64, faults: ExposureFaults) -> [String] { check(seed: seed, faults: faults).problems }

  private static func check(seed: UInt64, faults: ExposureFaults) -> Summary {
    var summary = Summary()
    var random = RandomRuleSet(generator: SeededRandom(seed: 9_000 + seed))
    let file = random.file()
    guard let rules = try? RuleSet.compile(file, keepsExpressions: true) else { return summary }
    var requests = RandomRequests(rules, generator: SeededRandom(seed: seed))
    for rulesLocation in RulesLocation.all(in: rules) {
      for operation in ExposureOperation.allCases {
        for identity in [ExposureIdentity.signedOut, .signedIn, .holder(["admin"], .bool(true))] {
          for isUpdate in operation == .write ? [false, true] : [false] {
            guard let attempt = requests.attempt(at: rulesLocation, operation, by: identity, isUpdate: isUpdate) else {
              continue
            }
            let instance = RequestInstance(rulesLocation, attempt, identity, isUpdate: isUpdate, faults: faults)
            instance.check(rules, &summary.ruleCount, &summary.errorCount, &summary.statementCount) {
              summary.problems.append("\($0), seed \(seed): \(attempt)\n\(file)")
            }
          }
        }
      }
    }
    return summary
  }
}

/// A request, with the term table of a question that it is an instance of.
private struct RequestInstance {
  let rulesLocation: RulesLocation
  let attempt: Attempt
  let table: TermTable
  let change: FactChange
  let scopes: [ScopeID]
  let environment: TermEnvironment

  init(
    _ rulesLocation: RulesLocation, _ attempt: Attempt, _ identity: ExposureIdentity, isUpdate: Bool,
    faults: ExposureFaults
  ) {
    self.rulesLocation = rulesLocation
    self.attempt = attempt
    table = TermTable(claims: identity.claims, nowMilliseconds: RandomRuleSet.nowMilliseconds, faults: faults)
    var keys: [TermID] = []
    var wildcards: [String] = []
    let path = attempt.writes.first?.path ?? attempt.path
    for (index, key) in path.keys.enumerated() {
      if index < rulesLocation.steps.count, case .key(let text) = rulesLocation.steps[index] {
        keys.append(table.text(text))
      } else {
        var excluded: [String] = []
        if index < rulesLocation.steps.count, case .wildcard(_, let names) = rulesLocation.steps[index] {
          excluded = names
        }
        if index == rulesLocation.steps.count { excluded = rulesLocation.node.children.list.map(\.key.text) }
        keys.append(table.addWildcard("$\(index)", excluding: excluded))
        wildcards.append(key.text)
      }
    }
    let kind: FactChange.Kind =
      attempt.writes.isEmpty ? .none : attempt.writes[0].isPriority && !isUpdate ? .priority : isUpdate ? .many : .value
    change = FactChange(kind: kind, place: table.place(keys))
    let table = table
    scopes = (0...keys.count).map { table.addScope(Array(keys.prefix($0))) }
    environment = TermEnvironment(table, attempt, wildcards: wildcards)
  }

  /// Checks the rules on the path to the location, with the request's data.
  func check(
    _ rules: RuleSet, _ ruleCount: inout Int, _ errorCount: inout Int, _ statementCount: inout Int,
    _ report: (String) -> Void
  ) {
    for (depth, node) in rulesLocation.chain.enumerated() {
      for rule in [attempt.writes.isEmpty ? node.read : node.write, attempt.writes.isEmpty ? nil : node.validate] {
        guard let rule, let expression = rule.expression, let outcome = outcome(of: rule, depth) else { continue }
        let scope = scopes[depth]
        do {
          let truth = try environment.holds(.holds, expression, scope)
          let falsity = try environment.holds(.fails, expression, scope)
          let error = try environment.holds(.errs, expression, scope)
          let denial = try environment.holds(.denies, expression, scope)
          ruleCount += 1
          switch outcome {
          case .value(let value):
            if (truth != nil) != value { report("\(rule.text) is \(value), T \(truth != nil)") }
            if (falsity != nil) == value { report("\(rule.text) is \(value), F \(falsity != nil)") }
            if !value, denial == nil { report("\(rule.text) is false, and has no denial") }
          case .error:
            errorCount += 1
            if truth != nil || falsity != nil { report("\(rule.text) is an error, and true or false") }
            if error == nil || denial == nil { report("\(rule.text) is an error, and has none") }
          }
          for literals in [truth, falsity, error].compactMap({ $0 }) {
            statementCount += literals.count
            if isRefuted(literals) { report("the theory refutes what holds of \(rule.text)") }
          }
        } catch {
          continue  // More alternatives than the limit is a valid answer.
        }
      }
    }
  }

  private func isRefuted(_ literals: [Literal]) -> Bool {
    var facts = Facts(table, change)
    for literal in literals {
      if !facts.isPossible(literal) { return true }
      facts.assert(literal)
    }
    facts.saturate(TextSolver())
    return facts.isRefuted
  }

  /// Returns the evaluator's result for one rule, placed at its location as the only rule of its kind.
  private func outcome(of rule: Rule, _ depth: Int) -> RuleVisit.Result? {
    let name = rule.kind == .read ? "read" : "write"
    var writer = JSONWriter()
    writer.write(JSON.string(rule.text))
    let text = String(decoding: writer.bytes, as: UTF8.self)
    let file = rule.place.reversed().reduce("{\".\(name)\":\(text)}") { "{\"\($1)\":\($0)}" }
    guard let alone = try? RuleSet.compile("{\"rules\":\(file)}") else { return nil }
    let decision: Decision
    if attempt.writes.isEmpty {
      decision = alone.decideRead(
        ReadRequest(
          path: attempt.path, root: attempt.data, auth: attempt.auth, nowMilliseconds: attempt.nowMilliseconds,
          query: attempt.query), detail: .trace)
    } else {
      // Only the first path of an update, with the data after the whole update.
      let first = attempt.writes[0]
      decision = alone.decideWrite(
        WriteRequest(
          oldRoot: attempt.data, newRoot: attempt.after,
          locations: [Location(path: first.path, isPriority: first.isPriority)], auth: attempt.auth,
          nowMilliseconds: attempt.nowMilliseconds), detail: .trace)
    }
    return decision.visited.first { $0.path.count == depth }?.result
  }
}
