import Foundation
import PagesTestKit
import RandomTestKit
import Testing

@testable import HearthTree

/// Tests of threads that read versions while their owner changes, stores and evicts. Also run under the thread sanitizer.
@Suite struct PagingStressTests {
  private static let rooms = 6
  private static let records = 120

  private static func record(_ number: Int) -> Path {
    Path("room\(number / records)/m\(10_000 + number % records)")
  }

  private static func path(_ number: Int) -> Path { record(number).appending("n") }

  /// The values of all records in every version: each version has other values at a few records.
  private struct History {
    private(set) var versions: [[Int64]]

    init(_ count: Int) {
      versions = [Array(repeating: 0, count: rooms * records)]
      for version in 1...count {
        var values = versions[version - 1]
        for change in History.changes(in: version) { values[change] = Int64(version) }
        versions.append(values)
      }
    }

    static func changes(in version: Int) -> [Int] {
      var random = SeededRandom(seed: UInt64(version))
      return (0..<5).map { _ in random.below(rooms * records) }
    }
  }

  /// The version that the owner published last.
  private final class Published: @unchecked Sendable {
    private let lock = NSLock()
    private var state: (version: Int, node: Node, isLast: Bool) = (0, .empty, false)

    var current: (version: Int, node: Node, isLast: Bool) {
      get { lock.withLock { state } }
      set { lock.withLock { state = newValue } }
    }
  }

  @Test func `Threads read held versions while the owner changes, stores and evicts`() throws {
    let memory = MemoryStore()
    let published = Published()
    var first = Node.empty
    for number in 0..<(Self.rooms * Self.records) {
      first = first.replacing(Self.path(number), with: Node(.int(0)))
      let text = Node(.string(String(repeating: "text", count: number % 20 == 0 ? 200 : 5)))
      first = first.replacing(Self.record(number).appending("text"), with: text)
    }
    published.current = (0, first, false)
    let versionCount = Torture.count(sample: 60, full: 5_000)
    let history = History(versionCount)
    let failures = Published()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      if thread == 0 {
        Self.own(memory, published, versionCount, failures)
      } else {
        Self.read(published, history, seed: UInt64(thread), failures)
      }
    }
    #expect(failures.current.version == 0)
    #expect(memory.store.failure == nil)
    #expect(published.current.version == versionCount)
    #expect(memory.pages.readCount > 50)
  }

  private static func own(_ memory: MemoryStore, _ published: Published, _ versionCount: Int, _ failures: Published) {
    var (memory, evictor, node) = (memory, PageEvictor(of: memory.store), published.current.node)
    for version in 1...versionCount {
      for change in History.changes(in: version) {
        node = node.replacing(path(change), with: Node(.int(Int64(version))))
      }
      if version % 3 == 0 {
        guard let stored = try? memory.save(node) else {
          failures.current = (1, .empty, false)
          return
        }
        if version % 12 == 0, let opened = try? stored.open() { node = opened }
      }
      node = evictor.run(node, sizeBytes: 30_000)
      published.current = (version, node, version == versionCount)
    }
  }

  private static func read(_ published: Published, _ history: History, seed: UInt64, _ failures: Published) {
    var random = SeededRandom(seed: seed)
    var isLast = false
    while !isLast {
      let (version, node, last) = published.current
      isLast = last
      for round in 0..<40 {
        let number = random.below(rooms * records)
        if node[path(number)].scalar != .int(history.versions[version][number]) {
          failures.current = (failures.current.version + 1, .empty, false)
        }
        if round == 20 {
          let policy: FaultPolicy = random.chance(50) ? .stream : .install
          let count = FaultScope.run(policy) {
            node.child(Key("room\(number / records)")).children.reduce(0) { n, _ in n + 1 }
          }
          .result
          if count != records || node.leafCount != rooms * records * 2 {
            failures.current = (failures.current.version + 1, .empty, false)
          }
        }
      }
    }
  }
}
