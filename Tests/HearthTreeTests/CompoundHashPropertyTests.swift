import RandomTestKit
import Testing

@testable import HearthTree

@Suite struct CompoundHashPropertyTests {
  @Test(arguments: Residency.runs(10))
  func `Hashes of ranges agree with the model for any posts`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    for _ in 0..<10 {
      let model = random.model(depth: 1 + random.below(3), variety: 30).withPriorities(&random)
      let node = try paged.step(model.node)
      var posts = CompoundHashModel.leaves(of: model).filter { _ in random.chance(20) }
      posts += (0..<random.below(4)).map { _ in
        (0..<random.below(4)).map { _ in random.chance(10) ? ".priority" : random.key(of: 30) }
      }
      posts = Set(posts).sorted(by: CompoundHashModel.isBefore)
      let expected = CompoundHashModel.hash(of: model, posts: posts)
      #expect(node.compoundHashes(posts: posts.map { Path($0) }) == expected.hashes, "seed \(seed)")
      #expect(node.rangeMerges(against: expected).isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: Residency.runs(20))
  func `A client that applies the ranges has the server's data`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    for step in 0..<15 {
      let server = random.model(depth: 1 + random.below(3), variety: 12).withPriorities(&random)
      var client = CompoundHashModel(held: server)
      for _ in 0..<random.below(6) { client.change(&random) }
      client.forgetUnknownPriorities(server)
      let percent = [0, 5, 30, 100][random.below(4)]
      let hash = client.hash { _ in random.chance(percent) }
      let merges = try paged.step(server.node).rangeMerges(against: hash)
      for merge in merges { client.apply(merge) }
      if let fault = client.held.difference(from: server.node) {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
    }
  }

  @Test(arguments: Residency.runs(10))
  func `Ranges ascend, do not overlap, and contain only leaves of the node`(seed: UInt64, residency: Residency) throws {
    var paged = PagedTree(residency)
    var random = SeededRandom(seed: seed)
    for _ in 0..<20 {
      let model = random.model(depth: 1 + random.below(3), variety: 12).withPriorities(&random)
      let node = try paged.step(random.chance(5) ? Node.empty : model.node)
      let leaves = CompoundHashModel.leaves(of: TreeModel(node))
      let paths = Set((0..<random.below(8)).map { _ in (0..<random.below(5)).map { _ in random.key(of: 12) } })
      let posts = paths.sorted(by: CompoundHashModel.isBefore).map { Path($0) }
      let actual = node.compoundHashes(posts: posts)
      let hashes = actual.map { random.chance(50) ? $0 : random.chance(50) ? "" : "x" }
      var last: Path? = .root
      for merge in node.rangeMerges(against: CompoundHash(hashes: hashes, posts: posts)) {
        if let start = merge.start {
          #expect(last.map { $0.isBefore(start) || $0.isRoot } == true)
        }
        last = merge.end
        let inside = leaves.filter { leaf in
          (merge.start?.isBefore(Path(leaf)) ?? true) && !(merge.end?.isBefore(Path(leaf)) ?? false)
        }
        #expect(CompoundHashModel.leaves(of: TreeModel(merge.node)) == inside, "seed \(seed)")
      }
    }
  }

  @Test func `Ten thousand children are reduced to a few`() {
    var builder = NodeBuilder()
    builder.open()
    for i in 0..<10_000 {
      builder.key(Key(String(i)))
      builder.leaf(.int(Int64(i)))
    }
    builder.close(priority: .int(1))
    let node = builder.finish()
    let kept = node.restricted(after: Path("4999"), through: Path("5002"))
    #expect(kept.children.map(\.key.text) == ["5000", "5001", "5002"])
    #expect(kept.priority == nil)
    #expect(node.restricted(after: Path("9998"), through: nil).priority == .int(1))
    let posts = (0..<10_000).filter { $0 % 100 == 99 }.map { Path(String($0)) }
    let hash = CompoundHash(hashes: node.compoundHashes(posts: posts), posts: posts)
    let merges = node.replacing(Path("5050"), with: .empty).rangeMerges(against: hash)
    #expect(merges.map(\.start) == [Path("4999")])
    #expect(merges.map(\.end) == [Path("5099")])
    #expect(merges.map(\.node.childCount) == [99])
  }
}

extension CompoundHashModel {
  /// Writes to a random location of the client's data, as if the client had missed a change on the server.
  fileprivate mutating func change(_ random: inout SeededRandom) {
    let paths = held.paths
    var path = paths[random.below(paths.count)]
    if random.chance(30) {
      var model = held[path[...]]
      guard !model.isEmpty else { return }
      model.priority = random.chance(50) ? nil : .int(Int64(random.below(3)))
      return held.replace(path[...], with: model)
    }
    if random.chance(40) { path += [random.key(of: 12)] }
    let value = random.chance(40) ? TreeModel() : random.model(depth: random.below(3), variety: 12)
    held.replace(path[...], with: value)
  }

  /// Removes priorities that the server no longer has. Clients do not send a priority without a later child, so such a
  /// priority remains; the SDKs behave in this way.
  fileprivate mutating func forgetUnknownPriorities(_ server: TreeModel) {
    let told = Self.withoutTrailingPriorities(held)
    for path in held.paths where held[path[...]].priority != told[path[...]].priority {
      guard server[path[...]].priority == nil else { continue }
      var model = held[path[...]]
      model.priority = nil
      held.replace(path[...], with: model)
    }
  }
}
