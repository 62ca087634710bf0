import HearthBytes
import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests that records with a right checksum and wrong content end in an error, or in other data.
@Suite struct PageRecordFuzzTests {
  /// Returns the offsets of the records of a store.
  private func records(_ content: [UInt8]) -> [Range<Int>] {
    var (found, start) = ([Range<Int>](), 0)
    while start < content.count {
      let size = Int(content[start + 8]) | Int(content[start + 9]) << 8
      found.append(start..<start + size)
      start += size
    }
    return found
  }

  /// Changes bytes of a record, and corrects its checksum.
  private func damage(
    _ content: inout [UInt8], _ record: Range<Int>, _ pages: MemoryPages, _ random: inout SeededRandom
  ) {
    for _ in 0..<(1 + random.below(3)) {
      let place = record.lowerBound + 12 + random.below(min(record.count - 12, random.chance(50) ? 60 : .max))
      switch random.below(4) {
      case 0: content[place] ^= 1 << UInt8(random.below(8))
      case 1: content[place] = [0, 1, 0x7F, 0x80, 0xFF, 5, 6, 7][random.below(8)]
      case 2: content[place] &+= 1
      default:
        // A piece of another place.
        let source = random.below(content.count)
        let length = min(1 + random.below(24), record.upperBound - place, content.count - source)
        content.replaceSubrange(place..<place + length, with: Array(content[source..<source + length]))
      }
    }
    let seed = pages.seed(at: MemoryPages.start + record.lowerBound)
    let hash = content.withUnsafeBytes {
      XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[record.lowerBound + 8..<record.upperBound]), seed: seed)
    }
    for i in 0..<8 { content[record.lowerBound + i] = UInt8(truncatingIfNeeded: hash >> UInt64(8 * i)) }
  }

  /// Reads and changes everything that a node's pages allow.
  private func use(_ node: Node, _ memory: inout MemoryStore, _ random: inout SeededRandom) {
    _ = node.json(.export)
    _ = ValueHashes(node, .standard)
    _ = node.children.reduce(0) { $0 + $1.node.childCount }
    _ = node.childrenReversed.map(\.key)
    _ = node == StoredNodeTests.sample(0)
    var cost = QueryCost()
    let index = ChildIndex(node, by: .child(Path("n")), cost: &cost)
    _ = QueryResult(Query(order: .child(Path("n")), limit: .last(3)), of: node, index: index).node
    var changed = node
    for _ in 0..<8 {
      let path = Path("room\(random.below(36))/m\(100_000 + random.below(30))\(random.chance(50) ? "/n" : "")")
      changed = changed.replacing(path, with: random.chance(60) ? .empty : Node(.int(1)))
    }
    changed = changed.replacing(
      (0..<40).map { (Path("room\($0 % 5)/m\(100_000 + $0)"), $0 % 2 == 0 ? Node.empty : Node(.bool(true))) })
    changed.forEachDifference(from: node) { _, _, _ in }
    _ = (changed.heldBytes(), changed.leafCount, changed.childCount)
    var evictor = PageEvictor(of: memory.store)
    changed = evictor.run(changed, sizeBytes: .max)
    _ = try? memory.writer.write(changed)
    memory.writer.discard()
    _ = changed.json(.export)
  }

  @Test(arguments: UInt64(1)...4)
  func `A record with a right checksum and wrong content never traps`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var memory = MemoryStore()
    var sample = StoredNodeTests.sample(seed % 2 == 0 ? 360 : 1_440)
    sample = sample.replacing("long", with: Node(.string(String(repeating: "long", count: 40_000))))
    let stored = try memory.save(sample)
    let content = memory.pages.content
    let records = records(content)
    var damageCount = 0
    for _ in 0..<Torture.count(sample: 12, full: 20_000) {
      var damaged = content
      for _ in 0..<(1 + random.below(3)) {
        damage(&damaged, records[random.below(records.count)], memory.pages, &random)
      }
      memory.pages.content = damaged
      let node: Node
      do { node = try stored.open() } catch { continue }
      if FaultScope.run(.stream, { node.json(.export) }).faults.failed > 0 { damageCount += 1 }
      use(node, &memory, &random)
      memory.pages.content = content
      memory.store.clearFailure()
    }
    #expect(damageCount > 2)
  }

  @Test(arguments: UInt64(1)...4)
  func `The location of a root with wrong bytes never traps`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var memory = MemoryStore()
    let bytes = try memory.save(StoredNodeTests.sample(360)).bytes
    for _ in 0..<120 {
      var damaged = bytes
      damaged[random.below(damaged.count)] = UInt8(random.below(256))
      if random.chance(20) { damaged.removeLast(random.below(damaged.count)) }
      guard let node = try? StoredNode(damaged, in: memory.store).open() else { continue }
      FaultScope.run(.stream) { _ = (node.json(.export), node.childCount) }
    }
    memory.store.clearFailure()
  }

  @Test func `Data that is nested too deeply is not read`() throws {
    // Each tree of the store contains the one before, more often than walks over it can call themselves.
    var memory = MemoryStore()
    var (node, stored) = (Node.empty, StoredNode.empty)
    for i in 0..<40 { node = node.replacing(Key("k\(i)"), with: Node(.int(1))) }
    for level in 0..<(PageDecoder.depthMax + 10) {
      stored = try memory.save(node)
      let below = try stored.open()
      node = node.replacing("below", with: below)
      if level % 400 == 399 { #expect(FaultScope.run(.stream) { below.json(.export) }.faults.failed == 0) }
    }
    let deep = try stored.open()
    #expect(FaultScope.run(.stream) { deep.json(.export) }.faults.failed == 1)
    #expect(memory.store.failure != nil)
  }
}
