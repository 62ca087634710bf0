import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of builders that move pages to a store.
@Suite struct StoredNodeSpillTests {
  /// The order of the keys of a node.
  enum KeyOrder: CaseIterable {
    case ascending
    /// Mostly ascending, with single keys out of order, repeated and removed ones.
    case disturbed
    case random
  }

  /// Sends the same random events to two builders.
  private struct Events {
    var random: SeededRandom
    let order: KeyOrder
    var plain = NodeBuilder()
    var spilling: NodeBuilder

    private mutating func both(_ body: (inout NodeBuilder) -> Void) {
      body(&plain)
      body(&spilling)
    }

    mutating func node(depth: Int) {
      guard depth > 0, random.chance(95) else { return leaf() }
      let count = depth == 3 ? 400 : random.chance(10) ? 300 : random.below(12)
      both { $0.open() }
      for i in 0..<count {
        both { [key = key(i, count)] in $0.key(key) }
        if order == .disturbed, random.chance(2) {
          both { $0.nothing() }
        } else {
          node(depth: random.chance(80) ? 0 : depth - 1)
        }
      }
      let priority: Scalar? = random.chance(20) ? .int(Int64(count)) : nil
      both { $0.close(priority: priority) }
    }

    private mutating func key(_ i: Int, _ count: Int) -> Key {
      switch order {
      case .ascending: Key("k\(10_000 + i)")
      case .disturbed: Key("k\(10_000 + (random.chance(3) ? random.below(count) : i))")
      case .random: random.chance(50) ? Key("\(random.below(count))") : Key("k\(random.below(count))")
      }
    }

    private mutating func leaf() {
      let priority: Scalar? =
        random.chance(8) ? .string(String(repeating: "p", count: random.chance(9) ? 900 : 3)) : nil
      let scalar: Scalar =
        switch random.below(4) {
        case 0: .int(Int64(random.below(1 << 30)))
        case 1: .double(0.5)
        case 2: .string(String(repeating: "long ", count: random.chance(10) ? 400 : 5))
        default: .bool(true)
        }
      both { $0.leaf(scalar, priority: priority) }
    }
  }

  @Test(arguments: UInt64(1)...4, KeyOrder.allCases)
  func `A node that is moved to a store while it is built is that of a builder in memory`(
    seed: UInt64, order: KeyOrder
  ) throws {
    let memory = MemoryStore()
    let sink = MemorySink(pages: memory.pages, store: memory.store)
    let spill = StoredNodeSpill(sink)
    let size = [1_000, 6_000, 40_000][Int(seed % 3)]
    var events = Events(
      random: SeededRandom(seed: seed), order: order, spilling: NodeBuilder(to: spill, sizeBytes: size))
    events.node(depth: 3)
    let (expected, built) = (events.plain.finish(), events.spilling.finish())
    let stored = try spill.finish(built).node
    let opened = try stored.open()
    let isSameText = opened.json(.export) == expected.json(.export)
    #expect(isSameText, "seed \(seed)")
    #expect(opened == expected && opened.leafCount == expected.leafCount)
    let totals = TreeTotalsTests().recount(opened)
    #expect(opened.heldBytes() == totals.bytes && opened.leafCount == totals.leaves)
    #expect(opened.replacing("k10007", with: .empty) == expected.replacing("k10007", with: .empty))
    #expect(memory.store.failure == nil)
  }

  @Test func `Memory is bounded by the limit, and pages are full`() throws {
    let memory = MemoryStore()
    let spill = StoredNodeSpill(MemorySink(pages: memory.pages, store: memory.store))
    var builder = NodeBuilder(to: spill, sizeBytes: 64 << 10)
    builder.open()
    for room in 0..<4 {
      builder.key(Key("room\(room)"))
      builder.open()
      for i in 0..<8_000 {
        builder.key(Key("m\(100_000 + i)"))
        builder.leaf(.string("some text \(i)"))
      }
      builder.close()
    }
    builder.close()
    // Nothing was marked as stored, and so nothing is held.
    let node = builder.finish()
    #expect(node.heldBytes(upTo: 1 << 40) > 700_000 && memory.store.residentBytes == 0)
    let stored = try spill.finish(node).node.open()
    #expect(stored.leafCount == 32_000 && memory.store.residentBytes < 10_000)
    let (_, faults) = FaultScope.run(.stream) { stored.json(.export) }
    #expect(faults.bytes / faults.count > 1_800 && faults.bytes < stored.heldBytes() * 11 / 10)
  }

  @Test func `The first error of the store is the result of the build`() throws {
    struct FullSink: PageSink {
      let store: PageStore
      var room: Int
      mutating func append(
        sizeBytes: Int, _ fill: (UnsafeMutableRawBufferPointer, UInt64) -> Void
      ) throws(PageError) -> PageLocation {
        room -= 1
        guard room >= 0 else { throw PageError("the store is full", .noSpace) }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: sizeBytes, alignment: 16)
        defer { memory.deallocate() }
        fill(memory, 0)
        guard let location = PageLocation(store: store.number, address: room * 65_536, sizeBytes: sizeBytes) else {
          throw PageError("no location")
        }
        return location
      }
      mutating func sync() throws(PageError) {}
      mutating func discard() {}
    }
    for room in [0, 1, 5, 40] {
      let spill = StoredNodeSpill(FullSink(store: MemoryStore().store, room: room))
      var events = Events(
        random: SeededRandom(seed: 3), order: .ascending, spilling: NodeBuilder(to: spill, sizeBytes: 2_000))
      events.node(depth: 3)
      let node = events.spilling.finish()
      #expect {
        try spill.finish(node)
      } throws: {
        ($0 as? PageError)?.code == .noSpace
      }
    }
  }
}
