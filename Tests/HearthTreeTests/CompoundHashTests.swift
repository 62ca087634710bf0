import HearthBytes
import Testing

@testable import HearthTree

@Suite("The compound hash") struct CompoundHashTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    var json: String
    var posts: [String]
    var hashes: [String]
    var testDescription: String { json }
  }

  /// The hashes that the protocol's clients are known to send.
  static let known = [
    Vector(json: #"{"foo":"bar"}"#, posts: ["foo"], hashes: ["LmKmJmXugtGlEGoulMbz86myDNw=", ""]),
    Vector(
      json: #"{"1":"one","2":"two","10":"ten"}"#, posts: ["2", "10"],
      hashes: ["YkodEihR5l3UXCbbKSqqVp082GU=", "pfduDpANk3ljVHkUt4HdLwrlDao=", ""]),
    Vector(
      json: #"{"bar":{"deep":"value"},"foo":{"other-deep":"value"}}"#, posts: ["bar/deep", "foo/other-deep"],
      hashes: ["Nq6PLLUyjPbRcyM3tpvqXJ5Dzm8=", "YRXpspSj3AnV90ZFjfGLH9lHAp8=", ""]),
    Vector(
      json: #"{"foo":{"!beforePriority":"before",".priority":"prio","afterPriority":"after"},"qux":"qux"}"#,
      posts: ["foo/.priority", "qux"],
      hashes: ["TNHQ1ppp/lp/iP3WA1GOUetV77U=", "eRF6PqPUdLcnQ/J24B4ofNFSH64=", ""]),
    Vector(
      json: #"{"foo":{".value":"bar",".priority":"baz"}}"#, posts: ["foo"],
      hashes: ["Pg7xV/cwDhcX65Z5lEn4rKdDmX0=", ""]),
    Vector(json: "null", posts: [], hashes: [""]),
  ]

  @Test("The hash agrees with the SDKs' hash", arguments: known) func isWhatClientsCompute(vector: Vector) throws {
    let node = try JSONSample.node(vector.json)
    let posts = vector.posts.map { Path($0) }
    #expect(node.compoundHashes(posts: posts) == vector.hashes)
    #expect(node.rangeMerges(against: CompoundHash(hashes: vector.hashes, posts: posts)).isEmpty)
  }

  @Test("A leaf at the root makes one range, and an empty one after it") func aLeafIsOneRangeThatEndsWithIt() throws {
    let hashes = Node(.string(#"a "quoted" \ text"#)).compoundHashes(posts: [.root])
    #expect(hashes == [SHA1.base64Digest(of: #"(string:"a \"quoted\" \\ text")"#), ""])
  }

  @Test("A client without data is sent everything at once") func aClientWithoutAnythingIsSentEverything() throws {
    let node = try JSONSample.node(#"{"a":1,"b":{"c":2,".priority":3}}"#)
    let merges = node.rangeMerges(against: CompoundHash(hashes: [""], posts: []))
    #expect(merges.count == 1)
    #expect(merges.first?.start == nil && merges.first?.end == nil)
    #expect(merges.first?.node.isIdentical(to: node) == true)
  }

  @Test("Only the range that differs is sent") func onlyTheRangeThatDiffersIsSent() throws {
    let old = try JSONSample.node(#"{"a":{"x":1,"y":2},"b":{"x":1,"y":2},"c":3}"#)
    let posts = ["a/y", "b/x", "c"].map { Path($0) }
    let hash = CompoundHash(hashes: old.compoundHashes(posts: posts), posts: posts)
    let new = old.replacing(Path("b/w"), with: Node(.bool(true)))
    let merges = new.rangeMerges(against: hash)
    #expect(merges.map(\.start) == [Path("a/y")])
    #expect(merges.map(\.end) == [Path("b/x")])
    #expect(merges.map { JSONSample.export($0.node) } == [#"{"b":{"w":true,"x":1}}"#])
    let shorter = new.replacing(Path("b"), with: .empty).rangeMerges(against: hash)
    #expect(shorter.map { JSONSample.export($0.node) } == [#"{"c":3}"#])
    #expect(shorter.map(\.end) == [Path("c")])
  }

  @Test("A range without leaves is sent as null") func aRangeWhoseLeavesAreGoneIsSentAsNothing() throws {
    let old = try JSONSample.node(#"{"a":1,"b":2,"c":3}"#)
    let posts = ["a", "b", "c"].map { Path($0) }
    let hash = CompoundHash(hashes: old.compoundHashes(posts: posts), posts: posts)
    let merges = old.replacing(Path("b"), with: .empty).rangeMerges(against: hash)
    #expect(merges.map(\.start) == [Path("a")])
    #expect(merges.map(\.node.isEmpty) == [true])
    let after = old.replacing(Path("d"), with: Node(.int(4))).rangeMerges(against: hash)
    #expect(after.map(\.start) == [Path("c")])
    #expect(after.map(\.end) == [nil])
    #expect(Node.empty.rangeMerges(against: hash).map(\.end) == [Path("c")])
  }

  @Test("A new priority is sent with a child, since clients drop a priority alone")
  func aNewPriorityIsSentTogetherWithAChild() throws {
    let old = try JSONSample.node(#"{"a":{"-x":1,"-y":2}}"#)
    let posts = ["a/-x", "a/-y"].map { Path($0) }
    let hash = CompoundHash(hashes: old.compoundHashes(posts: posts), posts: posts)
    let merges = old.replacing(Path("a"), with: old.child("a").with(priority: .int(5))).rangeMerges(against: hash)
    #expect(merges.map(\.start) == [Path("a/-x")])
    #expect(merges.map(\.end) == [nil])
    #expect(merges.map { JSONSample.export($0.node) } == [#"{"a":{"-y":2,".priority":5}}"#])
  }

  @Test("No range begins after a leaf with a priority, because clients remove that priority")
  func noRangeBeginsAfterALeafWithAPriority() throws {
    let old = try JSONSample.node(#"{"a":1,"b":{".value":2,".priority":3},"c":4}"#)
    let posts = ["a", "b", "c"].map { Path($0) }
    let hash = CompoundHash(hashes: old.compoundHashes(posts: posts), posts: posts)
    let merges = old.replacing(Path("c"), with: Node(.int(5))).rangeMerges(against: hash)
    #expect(merges.map(\.start) == [Path("a")])
    #expect(merges.map { JSONSample.export($0.node) } == [#"{"b":{".value":2,".priority":3},"c":5}"#])
  }

  @Test(
    "An invalid hash counts as an empty cache",
    arguments: [
      CompoundHash(hashes: [], posts: []),
      CompoundHash(hashes: ["", ""], posts: []),
      CompoundHash(hashes: [""], posts: [Path("a")]),
      CompoundHash(hashes: ["", "", ""], posts: [Path("b"), Path("a")]),
      CompoundHash(hashes: ["", "", ""], posts: [Path("a"), Path("a")]),
      CompoundHash(hashes: ["", "", ""], posts: [Path("10"), Path("9")]),
      CompoundHash(hashes: ["", "", ""], posts: [Path("a/b"), Path("a")]),
    ])
  func oneThatCannotBeMeansThatTheClientHoldsNothing(hash: CompoundHash) throws {
    let node = try JSONSample.node(#"{"a":1,"b":2}"#)
    let merges = node.rangeMerges(against: hash)
    #expect(merges.count == 1)
    #expect(merges.first?.start == nil && merges.first?.end == nil && merges.first?.node == node)
    #expect(Node.empty.rangeMerges(against: hash).map(\.node.isEmpty) == [true])
  }
}
