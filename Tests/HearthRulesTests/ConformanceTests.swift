import Foundation
import HearthRules
import HearthTree
import Testing

@Suite("Facts observed in Firebase")
struct ConformanceTests {
  @Test("Every decision is Firebase's")
  func decisions() throws {
    var count = 0
    for line in try lines("decisions") {
      let subject = line["subject"]?.string ?? ""
      let rules = try RuleSet.compile(RulesFixtures.text(try #require(line["rules"])))
      guard case .int(let now) = line["now"], case .array(let cases) = line["cases"] else {
        Issue.record("no cases for \(subject)")
        continue
      }
      for (index, fact) in cases.enumerated() {
        guard case .bool(let allowed) = fact["allowed"] else { continue }
        let decision = try decide(fact, rules, now)
        #expect(decision.isAllowed == allowed, "\(subject) \(index): \(RulesFixtures.text(fact))")
        count += 1
      }
    }
    #expect(count == 188)
  }

  private func decide(_ fact: JSON, _ rules: RuleSet, _ now: Int64) throws -> Decision {
    let path = Path(fact["at"]?.string ?? "")
    let old = try RulesFixtures.node(RulesFixtures.text(fact["stored"] ?? .null))
    if fact["do"]?.string == "read" {
      return rules.decideRead(
        ReadRequest(path: path, root: old, auth: fact["auth"], nowMilliseconds: now, query: query(fact["query"])))
    }
    let value = try RulesFixtures.writeValue(RulesFixtures.text(fact["value"] ?? .null))
    let node = value.resolved(existing: old[path], nowMilliseconds: now)
    return rules.decideWrite(
      WriteRequest(
        oldRoot: old, newRoot: old.replacing(path, with: node), locations: [Location(path: path)],
        auth: fact["auth"], nowMilliseconds: now))
  }

  private func query(_ json: JSON?) -> Query? {
    guard case .object(let members) = json else { return nil }
    var query = Query()
    for member in members {
      switch (member.name, member.value) {
      case ("orderByKey", _): query.order = .key
      case ("orderByValue", _): query.order = .value
      case ("orderByPriority", _): query.order = .priority
      case ("orderByChild", .string(let path)): query.order = .child(Path(path))
      case ("startAt", .string(let text)): query.start = Query.Bound(value: .string(text))
      case ("endAt", .string(let text)): query.end = Query.Bound(value: .string(text))
      case ("equalTo", .string(let text)):
        query.start = Query.Bound(value: .string(text))
        query.end = query.start
      case ("limitToFirst", .int(let count)): query.limit = .first(Int(count))
      case ("limitToLast", .int(let count)): query.limit = .last(Int(count))
      default: Issue.record("unknown query field \(member.name)")
      }
    }
    return query
  }

  @Test("Every upload is accepted or refused as in Firebase, with the same message")
  func uploads() throws {
    var count = 0
    for line in try lines("uploads") {
      let file = RulesFixtures.text(try #require(line["file"]))
      var refusal: String?
      do {
        _ = try RuleSet.compile(file)
      } catch {
        refusal = error.diagnostics.first?.message
      }
      #expect(refusal == line["refusal"]?.string, "\(file)")
      count += 1
    }
    #expect(count == 84)
  }

  private func lines(_ name: String) throws -> [JSON] {
    let url = try #require(Bundle.module.url(forResource: "Conformance/\(name)", withExtension: "jsonl"))
    let text = try String(contentsOf: url, encoding: .utf8)
    return try text.split(separator: "\n").map { try RulesFixtures.json(String($0)) }
  }
}
