import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of the clock that evicts pages.
@Suite struct PageEvictorTests {
  private func evictAll(_ node: Node, _ memory: MemoryStore, sizeBytes: Int = .max) -> Node {
    var (node, evictor) = (node, PageEvictor(of: memory.store))
    // The first rounds clear the marks of lookups, level by level.
    for _ in 0..<12 {
      repeat { node = evictor.run(node, sizeBytes: sizeBytes) } while !evictor.isAtStart
    }
    return node
  }

  @Test func `What is not stored stays, and what is stored goes`() throws {
    var memory = MemoryStore()
    let sample = StoredNodeTests.sample()
    var node = sample
    #expect(evictAll(node, memory).isIdentical(to: node))
    let stored = try memory.save(node)
    #expect(memory.store.residentBytes > 100_000)
    node = evictAll(node, memory, sizeBytes: 10_000)
    #expect(node.isIdentical(to: try stored.open()))
    #expect(FaultScope.run(.refuse) { node.childCount }.result == 36)
    withExtendedLifetime(sample) { #expect(memory.store.residentBytes > 100_000) }
    #expect(node == StoredNodeTests.sample())
  }

  @Test func `Evicted pages leave the memory when no version holds them`() throws {
    var memory = MemoryStore()
    var node = StoredNodeTests.sample()
    _ = try memory.save(node)
    node = evictAll(node, memory)
    #expect(memory.store.residentBytes == 0)
    node = node.replacing(Path("room1/new"), with: Node(.int(1)))
    node = evictAll(node, memory)
    // The changed page and its parents are not stored.
    #expect(memory.store.residentBytes == 0)
    #expect(node[Path("room1/new")].scalar == .int(1))
    _ = try memory.save(node)
    #expect(memory.store.residentBytes > 1_000)
    node = evictAll(node, memory)
    #expect(memory.store.residentBytes == 0)
    #expect(node == StoredNodeTests.sample().replacing(Path("room1/new"), with: Node(.int(1))))
  }

  @Test func `Pages that are looked up stay, and those that are only walked over go`() throws {
    var memory = MemoryStore()
    var node = try memory.cold(StoredNodeTests.sample())
    let (hot, walked) = (Path("room3/m100111/n"), "room5")
    var evictor = PageEvictor(of: memory.store)
    for _ in 0..<10 {
      #expect(node[hot].scalar == .int(111))
      #expect(node.child(Key(walked)).children.reduce(0) { count, _ in count + 1 } == 166)
      repeat { node = evictor.run(node, sizeBytes: .max) } while !evictor.isAtStart
    }
    #expect(FaultScope.run(.refuse) { node[hot] }.result.scalar == .int(111))
    #expect(FaultScope.run(.refuse) { node[Path("room5/m100111/n")] }.faults.isIncomplete)
    #expect(memory.store.residentBytes < 80_000)
  }

  @Test func `A run ends after its bytes and goes on where it ended`() throws {
    var memory = MemoryStore()
    var node = StoredNodeTests.sample()
    _ = try memory.save(node)
    var (evictor, runs) = (PageEvictor(of: memory.store), 0)
    repeat { node = evictor.run(node, sizeBytes: .max) } while !evictor.isAtStart
    repeat {
      let before = memory.store.residentBytes
      node = evictor.run(node, sizeBytes: 8_192)
      #expect(evictor.evictedBytes < 8_192 + 80_000)
      #expect(memory.store.residentBytes <= before)
      runs += 1
    } while !evictor.isAtStart
    #expect(runs > 10)
    var visits = 0
    repeat {
      node = evictor.run(node, sizeBytes: .max, visitsMax: 16)
      visits += 1
    } while !evictor.isAtStart
    #expect(visits < 100)
    #expect(node == StoredNodeTests.sample())
  }

  @Test(arguments: UInt64(1)...6)
  func `Writes, evictions and stores in any order keep the data, and old versions`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var memory = MemoryStore()
    var evictor = PageEvictor(of: memory.store)
    let variety = [3, 30, 400][Int(seed % 3)]
    var (model, node) = (TreeModel(), Node.empty)
    var old: [(model: TreeModel, node: Node)] = []
    for step in 0..<200 {
      let path = (0..<(1 + random.below(3))).map { _ in random.key(of: variety) }
      let value = random.chance(25) ? TreeModel() : random.model(depth: random.below(4), variety: variety)
      model.replace(path[...], with: value)
      node = node.replacing(Path(path), with: value.node)
      if random.chance(30) { node = evictor.run(node, sizeBytes: random.below(4_000)) }
      if random.chance(10) {
        let stored = try memory.save(node)
        if random.chance(30) { node = try stored.open() }
      }
      if step % 40 == 0 { old.append((model, node)) }
      if step % 20 == 0, let fault = model.difference(from: node) {
        Issue.record("seed \(seed), step \(step): \(fault)")
        return
      }
    }
    old.append((model, node))
    for (i, version) in old.enumerated() {
      #expect(version.model.difference(from: version.node) == nil, "seed \(seed), version \(i)")
    }
    #expect(memory.store.failure == nil)
  }
}
