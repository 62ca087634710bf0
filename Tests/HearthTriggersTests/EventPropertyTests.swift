import HearthTree
import HearthTriggers
import RandomTestKit
import Testing

/// Tests with random trees, writes and patterns, against a comparison of whole trees.
@Suite struct EventPropertyTests {
  static let keys = ["a", "b", "1", "é"]
  static let patterns = [
    "/", "/{x}", "/a/{x}", "/a/b", "/{x}/{y}", "/{x}/b/{y}", "/a/{r=**}/b", "/{r=**}/1/{y}", "/*/a", "/a*",
    "/{x}/{y}/{z}",
  ]

  static func value(_ depth: Int, _ numbers: inout SeededRandom) -> JSON {
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0: return .null
    case 1: return .int(Int64.random(in: 0...2, using: &numbers))
    case 2: return .string("t")
    default:
      guard depth > 0 else { return .bool(true) }
      return .object(
        keys.compactMap { key in
          Bool.random(using: &numbers) ? JSON.Member(key, value(depth - 1, &numbers)) : nil
        })
    }
  }

  /// Collects all locations of a tree, with their values as text.
  static func places(_ node: Node, _ path: [Key], into found: inout [String: (path: Path, text: String)]) {
    guard !node.isEmpty else { return }
    var writer = JSONWriter()
    writer.write(node, .objects)
    found[path.map(\.text).joined(separator: "/")] = (Path(path), String(decoding: writer.bytes, as: UTF8.self))
    for (key, child) in node.children { places(child, path + [key], into: &found) }
  }

  /// Returns the result of applying an event's delta to its data, as a handler does it.
  static func merged(_ data: JSON, _ delta: JSON) -> JSON {
    guard case .object(let changes) = delta else { return delta }
    var members: [JSON.Member] = if case .object(let members) = data { members } else { [] }
    for change in changes {
      let index = members.firstIndex { $0.name == change.name }
      let value = merged(index.map { members[$0].value } ?? .null, change.value)
      if let index { members.remove(at: index) }
      if case .null = value { continue }
      members.append(JSON.Member(change.name, value))
    }
    return .object(members)
  }

  @Test("events agree with a comparison of the whole trees, and data with its delta applied is the value after")
  func againstTheWhole() throws {
    var numbers = SeededRandom(seed: 20_261_123)
    var eventCount = 0
    for round in 0..<1_500 {
      let before = tree(String(decoding: Self.value(4, &numbers).text(), as: UTF8.self))
      var writes: [(path: String, value: String)] = []
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        let depth = Int.random(in: 0...4, using: &numbers)
        let path = (0..<depth).map { _ in Self.keys.randomElement(using: &numbers) ?? "a" }.joined(separator: "/")
        // No location of a write contains another one.
        guard !writes.contains(where: { Path($0.path).contains(Path(path)) || Path(path).contains(Path($0.path)) })
        else { continue }
        writes.append((path, String(decoding: Self.value(3, &numbers).text(), as: UTF8.self)))
      }
      let change = change(before, writes)
      let pattern = Self.patterns.randomElement(using: &numbers) ?? "/"
      let set = TriggerSet(try members(pattern))
      var (old, new): ([String: (path: Path, text: String)], [String: (path: Path, text: String)]) = ([:], [:])
      Self.places(change.oldRoot, [], into: &old)
      Self.places(change.newRoot, [], into: &new)
      let parsed = try TriggerPattern(pattern)
      var expected: [String: String] = [:]
      for (ref, path) in old.mapValues(\.path).merging(new.mapValues(\.path), uniquingKeysWith: { a, _ in a })
      where parsed.matches(path) && old[ref]?.text != new[ref]?.text {
        expected[ref] = old[ref] == nil ? "WC" : new[ref] == nil ? "WD" : "WU"
      }
      var found: [String: String] = [:]
      for (trigger, event) in set.events(of: change).events {
        found[event.ref, default: ""] += trigger
        eventCount += 1
        guard case .text(let text) = event.payload, let json = JSON(parsing: text), let data = json["data"],
          let delta = json["delta"]
        else {
          Issue.record("round \(round): no payload")
          continue
        }
        let after = tree(String(decoding: Self.merged(data, delta).text(), as: UTF8.self))
        #expect(after == change.newRoot[Path(event.ref)], "round \(round), \(pattern), \(event.ref)")
      }
      #expect(found == expected, "round \(round), \(pattern), \(writes)")
    }
    // The patterns must match often.
    #expect(eventCount > 2_000)
  }
}
