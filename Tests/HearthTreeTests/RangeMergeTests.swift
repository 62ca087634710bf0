import HearthTree
import RandomTestKit
import Testing

/// Tests of the client's part in range merges: the ranges it reports, and the result of the ranges it receives.
@Suite struct RangeMergeTests {
  private static func node(_ json: String) -> Node {
    Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return (try? reader.writeValue())?.node ?? .empty
    }
  }

  @Test(
    "a range replaces leaves after its start up to and including its end",
    arguments: [
      // The first range, one in the middle, and the last range.
      (#"{"a":1,"b":2,"c":3}"#, nil, "a", #"{"a":9}"#, #"{"a":9,"b":2,"c":3}"#),
      (#"{"a":1,"b":2,"c":3}"#, "a", "b", #"{"aa":7}"#, #"{"a":1,"aa":7,"c":3}"#),
      (#"{"a":1,"b":2,"c":3}"#, "b", nil, #"{"d":4}"#, #"{"a":1,"b":2,"d":4}"#),
      (#"{"a":1,"b":2}"#, nil, nil, "null", "null"),
      // The start is inside a subtree: the subtree's own children are in the range.
      (#"{"a":{"x":1,"y":2},"b":3}"#, "a/x", "b", #"{"a":{"z":5}}"#, #"{"a":{"x":1,"z":5}}"#),
      // The end is a node with children, which stay; a leaf there is removed.
      (#"{"a":{"x":1},"b":2}"#, nil, "a", "null", #"{"a":{"x":1},"b":2}"#),
      (#"{"a":1,"b":2}"#, nil, "a", "null", #"{"b":2}"#),
      (#"{"a":{"x":1},"b":2}"#, nil, "a", #"{"a":5}"#, #"{"a":5,"b":2}"#),
      // A priority is a leaf among its siblings.
      (#"{"a":1,".priority":3}"#, nil, ".priority", #"{".priority":4,"!":0}"#, #"{"a":1,"!":0,".priority":4}"#),
      (#"{"a":1,".priority":3}"#, ".priority", nil, #"{"b":1}"#, #"{"b":1,".priority":3}"#),
    ])
  func applies(old: String, start: String?, end: String?, new: String, expected: String) {
    let merge = RangeMerge(start: start.map { Path($0) }, end: end.map { Path($0) }, node: Self.node(new))
    #expect(Self.node(old).applying(merge) == Self.node(expected))
  }

  @Test("after the differing ranges a client has the server's value; equal ones are not sent")
  func agrees() { for seed in 0..<120 { Self.agree(seed: UInt64(seed)) } }

  @Test("ranges: torture", .enabled(if: Torture.isOn))
  func torture() {
    let first = UInt64.random(in: 0..<1_000_000_000)
    print("range merges: seeds from \(first)")
    for seed in first..<first + 10_000 { Self.agree(seed: seed) }
  }

  private static func agree(seed: UInt64) {
    var random = SeededRandom(seed: seed &* 0x9E37)
    let held = large(&random)
    var actual = held
    for _ in 0..<random.below(6) {
      let path = Path((0..<1 + random.below(3)).map { _ in Key("k\(random.below(40))") })
      actual = actual.replacing(path, with: random.chance(40) ? .empty : leaf(&random))
    }
    if random.chance(10) { actual = large(&random) }
    let known = held.compoundHash()
    let merges = actual.rangeMerges(against: known)
    #expect(!(held == actual) || merges.isEmpty, "seed \(seed)")
    let result = merges.reduce(held) { $0.applying($1) }
    #expect(result == actual, "seed \(seed)")
    #expect(actual.rangeMerges(against: result.compoundHash()).isEmpty, "seed \(seed)")
  }

  private static func leaf(_ random: inout SeededRandom) -> Node {
    let text = String(repeating: "x", count: random.below(60))
    return Node(
      random.chance(50) ? .string(text) : .int(Int64(random.below(9))), priority: random.chance(10) ? .int(1) : nil)
  }

  private static func large(_ random: inout SeededRandom) -> Node {
    var node = Node.empty
    for _ in 0..<random.below(120) {
      node = node.replacing(
        Path((0..<1 + random.below(3)).map { _ in Key("k\(random.below(40))") }), with: leaf(&random))
    }
    for i in 0..<3 where random.chance(30) {
      let path = i == 0 ? Path() : Path([Key("k\(random.below(40))")])
      node = node.replacing(path, with: node[path].with(priority: .string("p")))
    }
    return node
  }

  @Test("ranges are of about the clients' size, and the last ends with null")
  func splits() {
    var node = Node.empty
    for i in 0..<200 { node = node.replacing(Key("k\(1_000 + i)"), with: Node(.string("some text of a message"))) }
    let hash = node.compoundHash()
    #expect(hash.hashes.count == hash.posts.count + 1 && hash.hashes.last == "")
    #expect((5...25).contains(hash.posts.count), "\(hash.posts.count)")
    #expect(hash.posts.last == Path("k1199"))
    #expect(Node.empty.compoundHash() == CompoundHash(hashes: [""], posts: []))
  }
}
