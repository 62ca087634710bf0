import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of reads of data that is not in memory.
@Suite struct FaultTests {
  private static let path = Path("room3/m100111/n")

  /// Runs a test with the sample, stored and with nothing in memory.
  private func withCold(_ body: (_ cold: Node, _ memory: inout MemoryStore) throws -> Void) throws {
    var memory = MemoryStore()
    let cold = try memory.cold(StoredNodeTests.sample())
    try body(cold, &memory)
  }

  private func faults(_ body: () -> Void) -> FaultCounts { FaultScope.run(.install) { body() }.faults }

  @Test func `Counts, sizes and priorities of a node are known without reading it`() throws {
    let sample = StoredNodeTests.sample()
    try withCold { cold, _ in
      let room = cold.child("room3")  // This reads the root and its parent.
      let faults = faults {
        #expect(room.childCount == sample.child("room3").childCount)
        #expect(room.heldBytes() == sample.child("room3").heldBytes())
        #expect(room.leafCount == sample.child("room3").leafCount)
        #expect(room.priority == sample.child("room3").priority)
        #expect(cold.leafCount == sample.leafCount && cold.heldBytes(upTo: 10) == 11)
        #expect(!room.isEmpty && room.isInterior && room.scalar == nil)
      }
      #expect(faults == FaultCounts())
    }
  }

  @Test func `A lookup reads the pages on its path once`() throws {
    try withCold { cold, memory in
      let first = faults { #expect(cold[Self.path].scalar == .int(111)) }
      #expect((3...6).contains(first.count) && first.bytes > 3_000 && !first.isIncomplete)
      let second = faults { #expect(cold[Self.path].scalar == .int(111)) }
      #expect(second.count == 0)
      #expect(memory.pages.readCount == memory.store.loadCount)
    }
  }

  @Test func `Versions with the same locations are identical, and comparing them reads nothing`() throws {
    try withCold { cold, memory in
      let other = try memory.save(cold).open()
      let faults = faults {
        #expect(cold.isIdentical(to: other) && cold == other)
        other.forEachDifference(from: cold) { _, _, _ in Issue.record("a difference") }
      }
      #expect(faults.count == 0)
    }
  }

  @Test func `A node that was read twice is identical, with other trees and texts in its pages`() throws {
    try withCold { cold, memory in
      let other = try memory.save(cold).open()
      // Both are read: the pages are at other addresses, and so are the trees and texts to which they refer.
      let (one, two) = (cold.child("room4"), other.child("room4"))
      #expect(one.isIdentical(to: two))
      #expect(one.child("m100050").isIdentical(to: two.child("m100050")))
      #expect(one.child("m100050").child("text").isIdentical(to: two.child("m100050").child("text")))
      #expect(!one.child("m100050").isIdentical(to: two.child("m100100")))
      #expect(!one.child("m100050").child("text").isIdentical(to: two.child("m100100").child("text")))
      let packed = Node.empty.replacing("room", with: one).replacing("n", with: Node(.int(1)))
      let same = Node.empty.replacing("room", with: two).replacing("n", with: Node(.int(1)))
      let faults = faults {
        #expect(packed.isIdentical(to: same) && packed == same)
        #expect(!packed.isIdentical(to: same.replacing("n", with: Node(.int(2)))))
        #expect(!packed.isIdentical(to: Node.empty.replacing("room", with: two.with(priority: .int(1)))))
      }
      #expect(faults.count == 0)
    }
  }

  @Test func `Comparing a version with the one before reads the changed pages alone`() throws {
    try withCold { cold, memory in
      let changed = cold.replacing(Self.path, with: Node(.int(-1)))
      let (old, new) = (try memory.cold(cold), try memory.cold(changed))
      var found: [String] = []
      let faults = faults {
        new.child("room3").forEachDifference(from: old.child("room3")) { key, _, _ in found.append(key.text) }
      }
      #expect(found == ["m100111"])
      // Root, branch and page of the room, in each version.
      #expect((4...10).contains(faults.count))
      let equality = self.faults { #expect(old != new) }
      #expect(equality.count < 30)
    }
  }

  @Test func `An update reads its path, and a deletion its small neighbours`() throws {
    try withCold { cold, memory in
      let faults = faults { _ = cold.replacing(Self.path, with: Node(.int(-1))) }
      #expect((3...6).contains(faults.count))
      var (room, expected) = (try memory.cold(cold.child("room5")), StoredNodeTests.sample().child("room5"))
      for i in stride(from: 0, to: 166, by: 2) {
        room = try memory.cold(room.replacing(Key("m\(100_000 + i)"), with: .empty))
        expected = expected.replacing(Key("m\(100_000 + i)"), with: .empty)
      }
      #expect(room == expected && room.leafCount == expected.leafCount)
      for i in 0..<166 { room = try memory.cold(room.replacing(Key("m\(100_000 + i)"), with: .empty)) }
      #expect(room.isEmpty)
    }
  }

  @Test func `A stream reads everything and leaves nothing in the version`() throws {
    let expected = StoredNodeTests.sample().json(.export)
    try withCold { cold, memory in
      let (text, faults) = FaultScope.run(.stream) { cold.json(.export) }
      #expect(text == expected && faults.count > 100 && !faults.isIncomplete)
      #expect(memory.store.residentBytes == 0)
      let (count, again) = FaultScope.run(.stream) { cold.child("room2").children.reduce(0) { sum, _ in sum + 1 } }
      #expect(count == 166 && again.count >= 3)
      // The lookup of the room put the root's pages into the version.
      #expect((1..<40_000).contains(memory.store.residentBytes))
      #expect(cold.json(.export) == expected)
      #expect(memory.store.residentBytes > 300_000)
    }
  }

  @Test func `A thread that refuses reads sees nothing, and counts it`() throws {
    try withCold { cold, memory in
      let (value, faults) = FaultScope.run(.refuse) { cold[Self.path] }
      #expect(value.isEmpty && faults.refused == 1 && faults.isIncomplete && faults.failed == 0)
      #expect(FaultScope.run(.refuse) { cold.children.map(\.key) }.result.isEmpty)
      #expect(FaultScope.run(.refuse) { cold.json(.export) }.faults.refused == 1)
      #expect(memory.pages.readCount == 0 && memory.store.failure == nil)
      // Scopes are nested, and end.
      FaultScope.run(.refuse) {
        FaultScope.run(.install) { #expect(cold[Self.path].scalar == .int(111)) }
        #expect(cold[Path("room7/m100111/n")].isEmpty)
      }
      #expect(cold[Path("room7/m100111/n")].scalar == .int(111))
      #expect(!FaultScope.run(.refuse) { cold[Self.path] }.faults.isIncomplete)
    }
  }

  @Test func `A read that fails is counted and latched, and the data is read when the disk works again`() throws {
    let sample = StoredNodeTests.sample()
    try withCold { cold, memory in
      let total = FaultScope.run(.stream) { _ = cold.json(.export) }.faults.count
      for failing in [0, 1, 2, 3, 4, 5, 7, 11, total / 2, total - 1] {
        for work in 0..<6 {
          let node = try memory.save(cold).open()
          memory.pages.fail(after: failing)
          let faults = faults {
            switch work {
            case 0: _ = node.json(.export)
            case 1: _ = node == sample
            case 2: _ = node.replacing(Self.path, with: .empty).replacing(Path("room4/x"), with: Node(.int(1)))
            case 3: _ = node.replacing((0..<300).map { (Path("room\($0 % 9)/m\(100_000 + $0 / 2)/n"), Node(.int(0))) })
            case 4: sample.forEachDifference(from: node) { _, _, _ in }
            default: _ = node.childrenReversed.map { $0.node.children(from: "m100150").map(\.key) }
            }
          }
          let isSet = memory.store.failure != nil
          #expect(isSet == (faults.failed > 0), "\(failing) \(work)")
          if failing < 3 { #expect(faults.failed > 0 && faults.isIncomplete) }
          memory.store.clearFailure()
          memory.pages.fail(after: .max)
          #expect(faults.failed == 0 || node[Self.path].scalar == .int(111))
        }
      }
      #expect(cold == sample && memory.store.failure == nil)
    }
  }

  @Test func `Damage, and a record in the wrong place, are found`() throws {
    var memory = MemoryStore()
    let stored = try memory.save(StoredNodeTests.sample(400))
    let content = memory.pages.content
    for position in stride(from: 0, to: content.count, by: 397) {
      memory.pages.content[position] ^= 4
      let node = try stored.open()
      #expect(FaultScope.run(.stream) { _ = node.json(.export) }.faults.failed > 0)
      #expect(memory.store.failure?.location != nil)
      memory.store.clearFailure()
      memory.pages.content = content
    }
    memory.pages.content = Array(content[64...]) + content[..<64]
    let node = try stored.open()
    let faults = faults { _ = node.json(.export) }
    #expect(faults.failed == 1)
  }
}
