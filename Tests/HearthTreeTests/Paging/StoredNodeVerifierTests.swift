import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of the walk that finds what cannot be read of stored data.
@Suite struct StoredNodeVerifierTests {
  /// Returns data with nested trees, long texts, a long priority and a text in parts.
  private static func sample() -> Node {
    StoredNodeTests.sample()
      .replacing("long", with: Node(.string(String(repeating: "long", count: 2_000))))
      .replacing("parts", with: Node(.string(String(repeating: "part", count: 60_000))))
      .replacing("priority", with: Node(.int(1), priority: .string(String(repeating: "p", count: 3_000))))
  }

  private func findings(_ node: Node) -> [UnreadableData] {
    var found: [UnreadableData] = []
    var verifier = StoredNodeVerifier {
      found.append($0)
      return true
    }
    verifier.run(node)
    return found
  }

  /// Returns the offset and size of each record.
  private func records(_ bytes: [UInt8]) -> [(offset: Int, sizeBytes: Int)] {
    var (records, offset): ([(Int, Int)], Int) = ([], 0)
    while offset < bytes.count {
      let size = Int(bytes[offset + 8]) | Int(bytes[offset + 9]) << 8
      records.append((offset, size))
      offset += size
    }
    return records
  }

  @Test func `Intact data has no findings, and each record is read once`() throws {
    var memory = MemoryStore()
    let stored = try memory.save(Self.sample())
    #expect(try findings(stored.open()).isEmpty)
    #expect(memory.pages.readCount == records(memory.pages.content).count && memory.store.residentBytes == 0)
    #expect(memory.store.failure == nil)
  }

  @Test func `A flipped bit in any record is found, with the part of the data that it makes unreadable`() throws {
    let sample = Self.sample()
    var (memory, random) = (MemoryStore(), SeededRandom(seed: 7))
    let stored = try memory.save(sample)
    let whole = memory.pages.content
    var extents: Set<String> = []
    for record in records(whole) {
      var bytes = whole
      bytes[record.offset + random.below(record.sizeBytes)] ^= UInt8(1 << random.below(8))
      memory.pages.content = bytes
      memory.store.clearFailure()
      guard let root = try? stored.open() else { continue }
      let found = findings(root)
      #expect(found.count == 1, "record at \(record.offset)")
      guard let part = found.first else { continue }
      #expect(part.error.location?.address == MemoryPages.start + record.offset && part.error.code == .damaged)
      let node = sample[part.path]
      let (rest, faults) = FaultScope.run(.stream) { root[part.path] }
      switch part.extent {
      case .text:
        extents.insert("text")
        #expect(node.isLeaf && node.scalar != nil)
      case .priority:
        extents.insert("priority")
        #expect(node.priority != nil)
      case .children(let first, let end):
        extents.insert(first == nil && end == nil ? "all" : first == nil ? "first" : end == nil ? "last" : "some")
        #expect(!faults.isIncomplete)
        let keys = node.children.map(\.key)
        var kept: [Key] = []
        FaultScope.run(.stream) { rest.forEachChild { key, _ in kept.append(Key(utf8: key)) } }
        let lost = keys.filter { key in (first.map { $0 <= key } ?? true) && (end.map { key < $0 } ?? true) }
        #expect(!lost.isEmpty && kept == keys.filter { !lost.contains($0) })
      }
    }
    #expect(extents == ["text", "priority", "all", "first", "some", "last"])
  }

  @Test func `The walk ends when it is told to`() throws {
    var memory = MemoryStore()
    let root = try memory.save(Self.sample()).open()
    memory.pages.fail(after: 20)
    var count = 0
    var verifier = StoredNodeVerifier { _ in
      count += 1
      return count < 3
    }
    verifier.run(root)
    #expect(count == 3)
  }
}
