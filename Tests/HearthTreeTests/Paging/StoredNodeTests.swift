import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of nodes that are stored and opened again.
@Suite struct StoredNodeTests {
  /// A tree of large and small nodes, nested trees, long texts and priorities.
  static func sample(_ count: Int = 6_000) -> Node {
    var builder = NodeBuilder()
    builder.open()
    for room in 0..<36 {
      builder.key(Key("room\(room)"))
      builder.open()
      for i in 0..<(count / 36) {
        builder.key(Key("m\(100_000 + i)"))
        builder.open()
        builder.key("n")
        builder.leaf(.int(Int64(i)), priority: i % 9 == 0 ? .string("p\(i)") : nil)
        builder.key("text")
        builder.leaf(.string(String(repeating: "text \(i) ", count: i % 50 == 0 ? 200 : 3)))
        builder.close()
      }
      builder.close(priority: room % 2 == 0 ? .double(0.5) : .string(String(repeating: "long", count: 300)))
    }
    builder.close()
    return builder.finish()
  }

  @Test(arguments: UInt64(1)...12)
  func `A stored node is opened as it was, and its bytes name the same node`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var memory = MemoryStore()
    let model = random.model(depth: 4, variety: [3, 30, 400][Int(seed % 3)])
    let node = model.node
    let stored = try memory.save(node)
    let again = try StoredNode(stored.bytes, in: memory.store)
    #expect(again.bytes == stored.bytes)
    let opened = try again.open()
    if let fault = model.difference(from: opened) { Issue.record("seed \(seed): \(fault)") }
    #expect(opened == node && node == opened)
    #expect(opened.isIdentical(to: try stored.open()))
    #expect(opened.heldBytes() == node.heldBytes() && opened.leafCount == node.leafCount)
    #expect(ValueHashes(opened, .standard).texts == ValueHashes(node, .standard).texts)
    #expect(opened.json(.export) == node.json(.export))
    #expect(memory.store.failure == nil)
  }

  @Test func `Empty nodes and leaves are stored, and a long leaf`() throws {
    var memory = MemoryStore()
    let nodes = [
      Node.empty, Node(.int(1)), Node(.string("s"), priority: .double(2)),
      Node(.string(String(repeating: "é", count: 400_000)), priority: .string(String(repeating: "p", count: 600))),
    ]
    for node in nodes {
      let stored = try memory.save(node)
      #expect(try StoredNode(stored.bytes, in: memory.store).open() == node)
    }
    let child = Self.sample(360).child("room1")
    #expect(try memory.cold(child) == child)
    #expect(try memory.cold(child.child("m100003")) == child.child("m100003"))
  }

  @Test func `Keys and priorities that exceed a record are stored in parts`() throws {
    var memory = MemoryStore()
    var node = Node.empty
    for i in 0..<60 {
      let key = Key(String(repeating: "long", count: i % 4 == 0 ? 20_000 : 10) + "\(i * 7 % 40)")
      node = node.replacing(key, with: Node(.int(Int64(i))))
    }
    var list = Node.empty
    for i in 0..<40 { list = list.replacing(Key("k\(i)"), with: Node(.string(String(repeating: "x", count: 90)))) }
    node = node.replacing("list", with: list.with(priority: .string(String(repeating: "priority", count: 9_000))))
    let opened = try memory.cold(node)
    #expect(opened == node)
    #expect(memory.store.failure == nil)
  }

  @Test func `Only what changed is stored again`() throws {
    var memory = MemoryStore()
    let node = Self.sample()
    let first = try memory.save(node)
    let size = memory.pages.content.count
    #expect(try memory.save(node).bytes == first.bytes)
    #expect(memory.pages.content.count == size)
    let changed = node.replacing(Path("room3/m100111/n"), with: Node(.int(-1)))
    let second = try memory.save(changed)
    #expect(memory.pages.content.count - size < 30_000)
    #expect(try second.open() == changed)
    #expect(try first.open() == node)
  }

  @Test func `A node that is written but not durable is written again`() throws {
    var memory = MemoryStore()
    let node = Self.sample(800)
    _ = try memory.writer.write(node)
    memory.writer.discard()
    memory.pages.content = []
    #expect(try memory.cold(node) == node)
    #expect(memory.store.failure == nil)
  }

  @Test func `What is stored in another store is copied, in memory or not`() throws {
    var (one, other) = (MemoryStore(), MemoryStore())
    let node = Self.sample(800)
    let cold = try one.cold(node)
    for source in [node, cold, Node.empty.replacing("in", with: node.child("room1")).replacing("n", with: cold)] {
      let stored = try other.save(source)
      one.pages.fail(after: 0)
      let copy = try stored.open()
      #expect(copy.json(.export) == FaultScope.run(.stream) { copy.json(.export) }.result)
      #expect(copy.leafCount == source.leafCount && other.store.failure == nil)
      one.pages.fail(after: .max)
      #expect(copy == source)
    }
    // An object has one location: the other store's clock leaves it alone.
    var evictor = PageEvictor(of: other.store)
    for _ in 0..<5 { #expect(evictor.run(node, sizeBytes: .max).isIdentical(to: node) && evictor.evictedBytes == 0) }
    one.pages.fail(after: 0)
    #expect(throws: PageError.self) { try other.writer.write(try one.save(node).open()) }
    other.writer.discard()
  }

  @Test func `A shared part is stored once`() throws {
    var memory = MemoryStore()
    let part = Self.sample().child("room1")
    _ = try memory.save(Node.empty.replacing("a", with: part))
    let size = memory.pages.content.count
    let node = Node.empty.replacing("a", with: part).replacing("b", with: part).replacing("c", with: Node(.int(1)))
    #expect(try memory.cold(node) == node)
    #expect(memory.pages.content.count - size < 4_000)
  }

  @Test func `The resident bytes of a store are those of its pages in memory`() throws {
    var memory = MemoryStore()
    var node: Node? = Self.sample()
    let stored = try memory.save(node ?? .empty)
    let full = memory.store.residentBytes
    let held = node?.heldBytes() ?? 0
    #expect(full > held && full < held * 3 / 2)
    node = nil
    // The writer's last list is empty: nothing holds the pages any more.
    #expect(memory.store.residentBytes == 0)
    node = try stored.open()
    #expect(memory.store.residentBytes == 0)
    #expect(node?.child("room1").child("m100003").childCount == 2)
    #expect((1..<40_000).contains(memory.store.residentBytes))
    node = nil
    #expect(memory.store.residentBytes == 0)
  }

  @Test func `The example in the description of a record is what is written`() throws {
    var memory = MemoryStore()
    _ = try memory.save(Node.empty.replacing("n", with: Node(.int(7))))
    let record = memory.pages.content
    #expect(record.count == 64)
    // size 64, value, level 0, no references, no entries, payload of 8 bytes, no flags
    #expect(record[8..<32] == [64, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(record[32..<40] == [0x05, 0x01, 0x04, 0x00, 0x01, 0x6E, 0x12, 0x07])
    #expect(record[40...].allSatisfy { $0 == 0 })
  }

  @Test func `Locations have an address, a size and a store`() {
    let location = PageLocation(store: 7, address: PageLocation.addressEnd - 64, sizeBytes: 65_472)
    #expect(location?.store == 7 && location?.address == PageLocation.addressEnd - 64 && location?.sizeBytes == 65_472)
    #expect(location.flatMap { PageLocation(fileBits: $0.fileBits, store: 7) } == location)
    for (address, size) in [(8, 64), (PageLocation.addressEnd, 64), (-64, 64), (0, 0), (0, 65_536), (0, 48)] {
      #expect(PageLocation(store: 1, address: address, sizeBytes: size) == nil)
    }
    #expect(PageLocation(fileBits: 2, store: 1) == nil && PageLocation(fileBits: 1, store: 1) == nil)
    #expect(PageLocation(fileBits: 1 << 48 | 3, store: 1) == nil)
  }

  @Test func `The cells that threads share are where the objects have them`() {
    let page = Page.make(count: 0, byteCount: 8)
    #expect(StoredObject.cell(of: .passUnretained(page)) == UnsafeMutableRawPointer(page.info))
    let text = PageTextContent.make("text")
    #expect(StoredObject.cell(of: .passUnretained(text)) == UnsafeMutableRawPointer(text.info))
    #expect(MemoryLayout<PageHeader>.offset(of: \.location) == 0)
    #expect(MemoryLayout<BranchHeader>.offset(of: \.location) == 0)
    #expect(MemoryLayout<PageTextHeader>.offset(of: \.location) == 0)
    #expect(MemoryLayout<PageHeader>.offset(of: \.touched) == PageHeader.touchedOffset)
    #expect(MemoryLayout<BranchHeader>.offset(of: \.touched) == BranchHeader.touchedOffset)
    #expect(MemoryLayout<PageHeader>.size % 4 == 0)
    page.info.pointee.referenceCount = 0
  }
}
