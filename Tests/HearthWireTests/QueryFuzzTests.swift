import HearthTree
import RandomTestKit
import Testing

@testable import HearthWire

/// Tests of random query objects and compound hashes, and of their results.
@Suite struct QueryFuzzTests {

  private static let values = [
    "null", "true", "false", "0", "-0.0", "1", "2", "3", "-1", "2.5", "1e300", "-1e300", "5e-324",
    "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "1e19", "\"\"", "\"a\"", "\"b\"", "\"k2\"", "\"10\"", "\"-1\"",
    "\"[MIN_NAME]\"", "\"[MAX_NAME]\"", "\".key\"", "\".value\"", "\".priority\"", "\"n\"", "\"n/x\"",
    "\"a/.priority\"",
    "\"a.b\"", "\"/\"", "\"é🐵\"", "\"\u{10FFFF}\"", "\"l\"", "\"r\"", "[]", "{}", "[1]",
  ]

  private static let data = #"""
    {"1": true, "10": "b", "-1": 5, "k1": {"n": 1, ".priority": 2}, "k2": {"n": "a", "x": {"y": null}},
     "k3": {"n": {"x": 2}}, "k4": 1e300, "k5": {".value": -3, ".priority": "b"}, "é🐵": false, "z": 9223372036854775807}
    """#

  private static func node() throws -> Node {
    var text = Array(data.utf8)
    return try text.withUnsafeMutableBytes { bytes in
      var reader = JSONReader(UnsafeRawBufferPointer(bytes))
      return try reader.writeValue().node
    }
  }

  @Test func `any object is refused, or a query within its limit, with equal results by index`() throws {
    let node = try Self.node()
    let members = ["sp", "sn", "sin", "ep", "en", "ein", "l", "vf", "i"]
    var found = 0
    for seed in 0..<40_000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      var object = members.filter { _ in Int.random(in: 0..<3, using: &numbers) == 0 }
      object = object.map { "\"\($0)\":\(numbers.pick(Self.values))" }
      if Int.random(in: 0..<3, using: &numbers) > 0 {
        object.append("\"l\":\(numbers.pick(["1", "2", "7"])),\"i\":\(numbers.pick(Array(Self.values[25...29])))")
      }
      guard let json = JSON(parsing: "{\(object.joined(separator: ","))}".utf8), let query = try? Query(wire: json)
      else {
        continue
      }
      found += 1
      var cost = QueryCost()
      let index = ChildIndex(node, by: query.effectiveOrder, cost: &cost)
      let (plain, indexed) = (QueryResult(query, of: node).node, QueryResult(query, of: node, index: index).node)
      if plain != indexed { Issue.record("seed \(seed): \(object)") }
      switch query.limit {
      case .first(let count)?, .last(let count)?:
        if count < 1 || plain.childCount > count { Issue.record("seed \(seed): \(object)") }
      case nil: break
      }
    }
    #expect(found > 3_000)
  }

  @Test func `any compound hash is refused, or answered with ranges in ascending order`() throws {
    let node = try Self.node()
    let texts = Self.values.filter { $0.hasPrefix("\"") } + ["\"k1/n\"", "\"k1/.priority\"", "\"k3/n/x\"", "\"zz\""]
    var found = 0
    for seed in 0..<20_000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let count = Int.random(in: 0...5, using: &numbers)
      func list(_ count: Int) -> String {
        let isOdd = Int.random(in: 0..<12, using: &numbers) == 0
        return (0..<count).map { _ in numbers.pick(isOdd ? Self.values : texts) }.joined(separator: ",")
      }
      let hashes = list(Int.random(in: 0..<8, using: &numbers) == 0 ? count : count + 1)
      guard let json = JSON(parsing: "{\"hs\":[\(hashes)],\"ps\":[\(list(count))]}".utf8),
        let known = CompoundHash(wire: json)
      else { continue }
      found += 1
      for place in [node, .empty, node.child("k1"), node.child("z")] {
        let merges = place.rangeMerges(against: known)
        for (merge, next) in zip(merges, merges.dropFirst()) where merge.end == nil || next.start == nil {
          Issue.record("seed \(seed): \(merges)")
        }
      }
    }
    #expect(found > 3_000)
  }
}
